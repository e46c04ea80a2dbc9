export { parseQuery } from './parse-query.js';
export * from './plain.js';
export { searchArguments } from './search-arguments.js';
export { SearchModule } from './search.module.js';
