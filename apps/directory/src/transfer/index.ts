export { partOfBook } from './export-contacts.js';
export { contentOf } from './given-entry.js';
export { TransferModule } from './transfer.module.js';
export { Unreadable } from './vcard-text.js';
