export * from './start-pacer.js';
export * from './fair-queue.js';
export * from './group-commit.js';
export * from './in-use.js';
export * from './keyed-mutex.js';
export * from './timers.js';
