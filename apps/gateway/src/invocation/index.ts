export * from './invoke.handlers.js';
export * from './invoker.js';
