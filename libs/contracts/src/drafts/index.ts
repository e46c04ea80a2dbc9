export * from './draft.js';
export * from './operations.js';
