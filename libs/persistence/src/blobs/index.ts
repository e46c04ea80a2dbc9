export * from './blobs-schema.js';
export * from './postgres-blobs.js';
