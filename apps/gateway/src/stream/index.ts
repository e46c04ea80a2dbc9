export * from './receive-changes.js';
export * from './stream.controller.js';
export * from './stream-reader.js';
export * from './streams.js';
