export * from './api-key.js';
export { CallEncryption } from './encryption.js';
export * from './caller.js';
export * from './checks.js';
export * from './event-keys.js';
export * from './keyring.js';
export * from './password.js';
export * from './session-token.js';
export * from './signature.js';
