export { SignatureSettingsHandlers, SignaturesHandlers } from './signatures.handlers.js';
export { signatureFor } from './stored-signatures.js';
