export { makeFirstBook } from './books/index.js';
export { DirectoryConfig } from './config.js';
export { emptyRecord, searchOf, valuesOf, type ContactRecord } from './contacts/index.js';
export { createDirectoryApp, directoryService } from './directory-app.js';
export { partOfBook } from './transfer/index.js';
export { directorySchema } from './migrations/index.js';
