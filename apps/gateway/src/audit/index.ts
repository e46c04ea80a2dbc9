export { AuditChain } from './audit-chain.js';
export { AuditHandlers, auditPageKey } from './audit.handlers.js';
export { receiveAudit } from './receive-audit.js';
export { startSealer } from './sealer.js';
