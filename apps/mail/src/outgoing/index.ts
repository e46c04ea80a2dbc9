export { type ComposedMessage, MessageComposer, composedHereMax } from './message-composer.js';
export { NoConnection } from './smtp-connections.js';
export { type Outcome, serverText } from './transmission.js';
export { ReadyConnection, type SendingMailbox, Transport } from './transport.js';
