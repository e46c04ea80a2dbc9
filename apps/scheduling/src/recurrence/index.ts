export { AskedSeries, type Answers } from './asked-series.js';
export { merged, mergedRule } from './given-rule.js';
export * from './plain.js';
