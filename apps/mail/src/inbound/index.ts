export type { Arrival } from './arrival.js';
export { InboundModule } from './inbound.module.js';
export { Ingest, type Delivery } from './ingest.js';
export type { Recipient } from './recipient.js';
