/** What of the search needs no framework, for the inbound thread: see `docs/adr/0035`. */
export { keepSearchDocument } from './keep-document.js';
