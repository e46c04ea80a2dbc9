/** What of a service needs no framework, for threads: see `docs/adr/0035`. */
export { createLog } from './log.js';
