export * from './expand.js';
export { momentOf, wallClock } from './wall-clock.js';
