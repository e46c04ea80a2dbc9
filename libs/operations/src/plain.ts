/** What of the engine needs no framework, for threads: see `docs/adr/0035`. */
export { onEvents } from './commits.js';
export { isUniqueViolation } from './faults.js';
export { AlreadyAnswered, NeededFirst, UnitOfWork } from './unit-of-work.js';
