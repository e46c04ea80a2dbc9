export { addSentMessage } from './add-sent-message.js';
export { requireMailbox } from './conversation-pages.js';
export { writtenTime } from './conversation-with-message.js';
export { ConversationsModule } from './conversations.module.js';
export { importMessage } from './import-message.js';
export { labelKey } from './label-key.js';
export { messageOf } from './message-of-parsed.js';
export * from './plain.js';
export { ancestorsOf } from './threading.js';
