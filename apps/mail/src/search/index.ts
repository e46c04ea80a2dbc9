export { keepSearchDocument } from './keep-document.js';
export { parseQuery } from './parse-query.js';
export { searchArguments } from './search-arguments.js';
export { SearchModule } from './search.module.js';
