export * from './blobs/index.js';
export * from './database.js';
export * from './listener.js';
export * from './page-token.js';
export * from './plain.js';
export { connectClient } from './sign-in/index.js';
