export { composedHereMax, MessageComposer, type Made } from './message-composer.js';
export { startOutboxSink, type OutboxSink } from './outbox-sink.js';
export { OutgoingModule } from './outgoing.module.js';
export { NoConnection } from './smtp-connections.js';
export { whatItSaid, type Envelope, type Outcome, type Refused } from './transmission.js';
export { Transport, type Line, type MailboxRow } from './transport.js';
