export * from './content.js';
export * from './operations.js';
export * from './task.js';
