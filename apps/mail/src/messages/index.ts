export { addSentMessage, writtenSince } from './add-sent-message.js';
export { isNewest, withImported, writtenTime } from './conversation-with-message.js';
export {
  ancestorsOf,
  DuplicateMessage,
  isDuplicateMessage,
  lockThread,
  type ReceivingMailbox,
} from './lock-thread.js';
export { isAddressOf, messageOf } from './message-of-parsed.js';
export {
  factsOf,
  receiveMessage,
  storeInboundMessage,
  type InboundMessage,
} from './receive-message.js';
