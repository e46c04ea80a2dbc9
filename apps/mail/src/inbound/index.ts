export { type Delivery, InboundStore } from './inbound-store.js';
export { InboundThread } from './inbound-thread.js';
export type { Ports } from './smtp/mail-listeners.js';
