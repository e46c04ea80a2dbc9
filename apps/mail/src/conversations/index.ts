export { requireMailboxExists } from './conversation-pages.js';
export { ConversationReads } from './conversation-reads.js';
export { ConversationsHandlers, TriageHandlers } from './conversations.handlers.js';
export { importedLabels, labelKey } from './triage.js';
