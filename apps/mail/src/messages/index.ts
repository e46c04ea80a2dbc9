export { addSentMessage } from './add-sent-message.js';
export { isNewest, withImported, writtenTime } from './conversation-with-message.js';
export {
  ancestorsOf,
  isDuplicateMessage,
  lockThreads,
  type ReceivingMailbox,
} from './lock-thread.js';
export { isAddressOf, messageOf } from './message-of-parsed.js';
export {
  factsOf,
  receiveMessage,
  storeMessages,
  type InboundMessage,
  type StoredMessage,
} from './receive-message.js';
