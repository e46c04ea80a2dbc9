/** What of contacts needs no framework, for the thread of large reads: see `docs/adr/0035`. */
export { withContacts } from './contacts-beside-mail.js';
