export * from './me.handlers.js';
export * from './refused-writes.js';
