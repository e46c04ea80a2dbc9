export * from './operations.js';
export * from './volumes.js';
