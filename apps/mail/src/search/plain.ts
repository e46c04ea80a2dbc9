/** What of the search needs no framework, for the inbound thread: see `docs/adr/0035`. */
export { storeSearchDocument, type Indexed } from './store-document.js';
