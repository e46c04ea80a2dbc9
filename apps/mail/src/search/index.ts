export { startIndexing } from './index-stored.js';
export { keepSearchDocument } from './keep-document.js';
export { parseQuery } from './parse-query.js';
export { searchArguments } from './search-arguments.js';
export { SearchModule } from './search.module.js';
