export { startIndexing } from './index-stored.js';
export { keepSearchDocument } from './keep-document.js';
export { SearchModule } from './search.module.js';
