export type { Arrival } from './arrival.js';
export { InboundModule } from './inbound.module.js';
export { isOutside, later, withParticipants } from './conversation-upkeep.js';
export { inboundMessage } from './inbound-message.js';
export { Ingest, type Delivery } from './ingest.js';
export { keepArrival } from './keep-arrival.js';
export { AlreadyHere, placeArrival } from './place-arrival.js';
export type { Recipient } from './recipient.js';
