/** What of recurrence needs no framework, for the thread that expands series: see `docs/adr/0035`. */
export * from './expand.js';
export { answerTo, isSameSeries, withoutExceptions, type SeriesQuestion } from './questions.js';
