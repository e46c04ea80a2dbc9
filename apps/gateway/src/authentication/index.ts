export { clientNetwork } from './client-network.js';
export * from './authorization.js';
export * from './authorizations.js';
export * from './key-authentication.js';
export * from './member-authentication.js';
export * from './passwords.js';
export * from './sign-in-attempts.js';
export * from './strategies.js';
export * from './workspace-domains.js';
