export * from './expand.js';
export { merged, mergedRule } from './given-rule.js';
export { momentBy, momentOf, wallClock } from './wall-clock.js';
