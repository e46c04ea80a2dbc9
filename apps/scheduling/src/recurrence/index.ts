export { AskedSeries, countFrom, type SeriesAnswers } from './asked-series.js';
export { merged, mergedRule, mergedZone } from './given-rule.js';
export * from './plain.js';
