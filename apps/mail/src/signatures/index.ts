export { signatureFor } from './kept-signatures.js';
export { SignaturesModule } from './signatures.module.js';
