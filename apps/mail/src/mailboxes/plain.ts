/** What of mailboxes needs no framework, for the inbound thread and migrations: see `docs/adr/0035`. */
export { mailboxSeals } from './sealed-columns.js';
export { routingAddress, withoutSubAddress } from './routing-address.js';
