export * from './books.js';
export * from './contact.js';
export * from './content.js';
export * from './operations.js';
