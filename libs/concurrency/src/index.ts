export * from './fair-queue.js';
export * from './group-commit.js';
export * from './in-flight.js';
export * from './keyed-mutex.js';
export * from './rounds.js';
export * from './shares.js';
export * from './signal.js';
export * from './timeout.js';
