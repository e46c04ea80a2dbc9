export { originalPieces, wholeOriginal } from './pieces.js';
export type { Staged } from './stage.js';
export { unstaged } from './stage.js';
