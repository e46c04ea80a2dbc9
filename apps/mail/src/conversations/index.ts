export { requireMailbox } from './conversation-pages.js';
export { ConversationsModule } from './conversations.module.js';
export { instant } from './instant.js';
export { labelKey } from './label-key.js';
export * from './plain.js';
