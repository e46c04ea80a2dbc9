export { signatureFor } from './stored-signatures.js';
export { SignaturesModule } from './signatures.module.js';
