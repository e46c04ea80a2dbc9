export type { UnknownReferences } from './unknown-references.js';
export { startAuditLoop, type AuditLoop, type AuditLoopOptions } from './audit-loop.js';
export type { AuditRecorded, AuditRecord } from './audit-loop.js';
export { onClock, workspaceNow } from './clocks.js';
export type * from './context.js';
export { EventKeysConfig } from './service-config.js';
export type { MemberRights } from './engine.js';
export { asProblem, isUniqueViolation } from './faults.js';
export { canonicalJson, fingerprint } from './canonical-json.js';
export { handlers, RethrowFilter } from './handlers.js';
export { runMaintenance, startMaintenance, type MaintenanceJob } from './maintenance.js';
export { consumeOnce, type Consuming } from './inbox.js';
export { OperationClient, type CallOptions } from './operation-client.js';
export { OperationServer } from './operation-server.js';
export { listParked, releaseParked } from './outbox-repair.js';
export { replayPublished } from './outbox-repair.js';
export { decryptRequest, encryptReply, type CallerKeys } from './encrypted-calls.js';
export type { Preview } from './preview.js';
export { previousOf } from './previous-of.js';
export { requireRoom, requireRoomFor, type QuotaLimits } from './quotas.js';
export { requireVersion } from './require-version.js';
export {
  lackingKey,
  resealSecrets,
  sealedColumn,
  sealedWithoutKeys,
  type SealedSecrets,
} from './sealed-columns.js';
export { watchDeadLetters } from './service-metrics.js';
export { serviceSchema } from './schema.js';
export type { TimedColumn } from './timed-columns.js';
export { AlreadyAnswered, eventsCommitted, NeededFirst, UnitOfWork } from './unit-of-work.js';
export * from './large-bodies.js';
export type { Gauge, VisibleContainers } from './built-in.handlers.js';
export * from './create-service.js';
export * from './create-stateless-service.js';
export * from './run-service.js';
export { BusServiceConfig, ServiceConfig } from './service-config.js';
