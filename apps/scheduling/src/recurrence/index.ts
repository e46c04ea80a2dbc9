export { AskedSeries, countFrom, type SeriesAnswers } from './asked-series.js';
export { lastStartOf, saysDays, startsBetween, type Series } from './expand.js';
export { merged, mergedRule, mergedZone, storedRule } from './given-rule.js';
export { isSameSeries, withoutExceptions, type SeriesQuestion } from './questions.js';
