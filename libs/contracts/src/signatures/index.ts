export * from './operations.js';
export * from './settings.js';
export * from './signature.js';
