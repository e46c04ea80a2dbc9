export { BulkHandlers } from './bulk-change.js';
export { requireMailboxExists } from './conversation-pages.js';
export { ConversationReads } from './conversation-reads.js';
export { ConversationsHandlers, MovesHandlers, TriageHandlers } from './conversations.handlers.js';
export { LabelSettingsHandlers } from './labels.handlers.js';
export { importedLabels, labelConversation, labelKey } from './triage.js';
export { OldConversations } from './old-conversations.js';
export { messageColumns } from './whole-conversation.js';
export { markConversation, placeConversation } from './place-conversation.js';
