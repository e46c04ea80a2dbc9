export * from './given-message.js';
export * from './message-parts.js';
