export { AuditChain } from './audit-chain.js';
export { AuditHandlers, auditPageKey } from './audit.handlers.js';
export { startSealing } from './start-sealing.js';
