export { requireMailbox } from './conversation-pages.js';
export { conversationColumns } from './conversation.view.js';
export { instant } from './instant.js';
export { ConversationsModule } from './conversations.module.js';
export { instant } from './instant.js';
