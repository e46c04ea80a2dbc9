export * from './stream-log.js';
