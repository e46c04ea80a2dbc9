export * from './api-key.js';
export * from './caller.js';
export * from './checks.js';
export * from './keyring.js';
export * from './password.js';
export * from './session-token.js';
export * from './signature.js';
export * from './sliding-window.js';
