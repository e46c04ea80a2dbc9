export * from './group-commit.js';
export * from './tasks.js';
export * from './timers.js';
