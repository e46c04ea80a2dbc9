export * from './database.js';
export * from './page-token.js';
export * from './statement.js';
