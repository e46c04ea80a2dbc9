export * from './conversation.js';
export * from './message.js';
export * from './operations.js';
export * from './triage.js';
