export { type ComposedMessage, MessageComposer, shortMax } from './message-composer.js';
export { NoConnection, SmtpConnections } from './smtp-connections.js';
export {
  OutgoingLogins,
  type LoginSecret,
  type OutgoingAccount,
  type OutgoingLogin,
} from './smtp-login.js';
export { type Outcome, serverText } from './transmission.js';
export {
  type MessageConnection,
  ReadyConnection,
  type SendingMailbox,
  testRecipient,
  Transport,
} from './transport.js';
