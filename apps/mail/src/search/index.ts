export { parseQuery } from './parse-query.js';
export { searchArguments } from './search-arguments.js';
export { SearchHandlers } from './search.handlers.js';
