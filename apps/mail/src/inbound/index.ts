export { traceHeader } from './inbound-delivery.js';
export { type Delivery, InboundStore, takeArrival } from './inbound-store.js';
export { InboundThread } from './inbound-thread.js';
export { smtpOutcomes, SmtpRefusal, type SmtpOutcome } from './smtp/smtp-refusal.js';
export type { Ports } from './smtp/mail-listeners.js';
