export * from './blobs/index.js';
export * from './database.js';
export * from './listener.js';
export { likeContaining } from './like-pattern.js';
export * from './page-token.js';
export { instant } from './instant.js';
export { servicePool, type ServicePoolOptions } from './service-pool.js';
export { statement, type Statement } from './statement.js';
export { connectClient } from './sign-in/index.js';
