/** What of mailboxes needs no framework, for the inbound thread: see `docs/adr/0035`. */
export { routingAddress, withoutSubAddress } from './routing-address.js';
