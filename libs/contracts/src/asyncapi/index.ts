export { asyncApiDocument } from './document.js';
