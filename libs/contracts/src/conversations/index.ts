export * from './attachments.js';
export * from './conversation.js';
export * from './message.js';
export * from './operations.js';
export * from './search.js';
export * from './triage.js';
