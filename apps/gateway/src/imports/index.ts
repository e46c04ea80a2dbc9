export { longUploads, MailImports } from './mail-imports.js';
export { withinSilence } from './within-silence.js';
