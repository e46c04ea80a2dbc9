export * from './authorization.js';
export * from './key-authentication.js';
export * from './member-authentication.js';
export * from './strategies.js';
export * from './workspace-domains.js';
