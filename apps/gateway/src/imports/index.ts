export { longUploads, MailImports } from './mail-imports.js';
