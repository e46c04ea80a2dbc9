export { ContactImports } from './contact-imports.js';
export { longUploads, MailImports } from './mail-imports.js';
export { chunksOf } from './idle-timeout.js';
