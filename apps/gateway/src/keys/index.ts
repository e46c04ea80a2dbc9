export * from './key.entity.js';
export * from './keys.handlers.js';
export * from './mailbox-grants.js';
