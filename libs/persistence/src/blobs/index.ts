export * from './blobs-schema.js';
export * from './open-blobs.js';
export * from './postgres-blobs.js';
export * from './s3-blobs.js';
