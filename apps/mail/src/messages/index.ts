export { addSentMessage } from './add-sent-message.js';
export { writtenTime } from './conversation-with-message.js';
export { importMessage, type Imported } from './import-message.js';
export { ancestorsOf, isDuplicateMessage, type ReceivingMailbox } from './lock-thread.js';
export { messageOf } from './message-of-parsed.js';
export { receiveMessage, type InboundMessage } from './receive-message.js';
