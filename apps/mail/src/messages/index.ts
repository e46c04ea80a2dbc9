export { addSentMessage } from './add-sent-message.js';
export { writtenTime } from './conversation-with-message.js';
export { importMessage } from './import-message.js';
export { ancestorsOf, isDuplicateMessage } from './lock-thread.js';
export { messageOf } from './message-of-parsed.js';
export { receiveMessage } from './receive-message.js';
export type { InboundMessage, ReceivingMailbox } from './store-inbound-message.js';
