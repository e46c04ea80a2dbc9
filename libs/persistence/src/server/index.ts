export { tryLock } from './folder-lock.js';
export { freePort, freePorts } from './free-port.js';
export { PostgresSetupError } from './setup-error.js';
export { type PostgresOptions, type RunningPostgres, startPostgres } from './start-postgres.js';
