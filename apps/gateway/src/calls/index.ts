export * from './decoded-input.js';
export * from './member-references.js';
export * from './service-calls.js';
