export { MergingHandlers } from './merging.handlers.js';
