export { freePort } from '@postroom/persistence/server';
export { createTestDatabase, type TestDatabase } from './database/test-database.js';
export * from './smtp/index.js';
