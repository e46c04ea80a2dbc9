export * from './group-commit.js';
export * from './in-flight.js';
export * from './keyed-mutex.js';
export * from './timers.js';
