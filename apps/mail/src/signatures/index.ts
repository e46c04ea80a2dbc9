export { SignaturesModule } from './signatures.module.js';
