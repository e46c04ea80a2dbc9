export * from './quotas.js';
