export * from './books.js';
export * from './contact.js';
export * from './content.js';
export * from './from-message.js';
export * from './merging.js';
export * from './operations.js';
export * from './transfer.js';
