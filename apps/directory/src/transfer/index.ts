export { contentOf } from './given-entry.js';
export { ExportHandlers, ImportStepsHandlers, partOfBook } from './transfer.handlers.js';
export { Unreadable } from './vcard-text.js';
