export * from './plain.js';
export { originalPieces, unstage, wholeOriginal } from './pieces.js';
