export { freePort } from './free-port.js';
export { createTestDatabase, type TestDatabase } from './database/test-database.js';
export * from './python/outside-python.js';
export * from './python/outside-s3.js';
export * from './smtp/index.js';
