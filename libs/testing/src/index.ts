export { freePort } from './free-port.js';
export { startNameServer, type NameServer, type Zone } from './dns/name-server.js';
export { eventOf, hashOf, Receiver, type Answering, type Received } from './http/receiver.js';
export { createTestDatabase, type TestDatabase } from './database/test-database.js';
export * from './java/outside-java.js';
export * from './python/outside-python.js';
export * from './python/outside-s3.js';
export * from './smtp/index.js';
export { whereThere } from './where-there.js';
