export * from './decoded-input.js';
export * from './invoke.handlers.js';
export * from './invoker.js';
export * from './member-references.js';
