export { AuditChain } from './audit-chain.js';
export { AuditBacklogs } from './audit-backlogs.js';
export { AuditHandlers, auditPageKey } from './audit.handlers.js';
export { startSealing } from './start-sealing.js';
