export { composedHereMax, MessageComposer, type ComposedMessage } from './message-composer.js';
export { OutgoingModule } from './outgoing.module.js';
export { NoConnection } from './smtp-connections.js';
export { serverText, type Outcome } from './transmission.js';
export { Transport, type ReadyConnection, type SendingMailbox } from './transport.js';
