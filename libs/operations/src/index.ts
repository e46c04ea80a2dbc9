export type * from './context.js';
export { Engine, type EngineOptions } from './engine.js';
export { asProblem, isUniqueViolation } from './faults.js';
export { Handles } from './handles.js';
export { OperationClient, type CallOptions } from './operation-client.js';
export { OperationServer, RethrowFilter } from './operation-server.js';
export { signedParts } from './signed-parts.js';
export { createOperationTables, lookupFunction, tenantPolicy, visible } from './tables.js';
export { UnitOfWork } from './unit-of-work.js';
