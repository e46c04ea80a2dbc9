export * from './availability.handlers.js';
