export * from './agents.js';
export * from './approval.js';
export * from './operations.js';
