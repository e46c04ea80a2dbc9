export { conversationColumns } from './conversation.view.js';
export { ConversationsModule } from './conversations.module.js';
export { instant } from './instant.js';
