export { conversationColumns } from './conversation.view.js';
export { instant } from './instant.js';
export { ConversationsModule } from './conversations.module.js';
