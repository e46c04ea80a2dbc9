export { EntryImports } from './entry-imports.js';
export { longUploads, MailImports } from './mail-imports.js';
export { MboxSplitter } from './mbox-splitter.js';
export { chunksOf } from './idle-timeout.js';
export { requireSuccess } from './message-batches.js';
