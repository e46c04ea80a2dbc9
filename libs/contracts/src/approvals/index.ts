export * from './approval.js';
export * from './operations.js';
