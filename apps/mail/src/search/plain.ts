/** What of the search needs no framework, for the inbound thread: see `docs/adr/0035`. */
export {
  documentOf,
  keepSearchDocument,
  storeSearchDocument,
  type Indexed,
} from './store-document.js';
