export { type FolderLock, tryLock } from './folder-lock.js';
export { freePort, freePorts } from './free-port.js';
export type { PostgresOptions, RunningPostgres } from './postgres-options.js';
export { PostgresSetupError } from './setup-error.js';
export { startPostgres } from './start-postgres.js';
