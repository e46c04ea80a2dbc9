export * from './operations.js';
export * from './receipt.js';
export * from './refusal.js';
