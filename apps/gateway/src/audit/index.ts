export { AuditChain } from './audit-chain.js';
export { AuditBacklogs } from './audit-backlogs.js';
export { AuditHandlers } from './audit.handlers.js';
export { auditKeyFaults, requireAuditKeys } from './audit-keys.js';
export { startSealing } from './start-sealing.js';
