export { tryLock } from './folder-lock.js';
export { freePort, freePorts } from './free-port.js';
export { PostgresSetupError } from './setup-error.js';
export type { PostgresOptions } from './postgres-options.js';
export { run, serverUser, type SystemUser } from './run-as.js';
export { type RunningPostgres, startPostgres } from './start-postgres.js';
