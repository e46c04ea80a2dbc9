export * from './bus.js';
export * from './envelope.js';
export * from './in-process-bus.js';
