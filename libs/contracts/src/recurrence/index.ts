export * from './recurrence.js';
export { rruleText, utcStamp } from './rrule-text.js';
export * from './rule.js';
export { momentBy, momentOf, wallClock } from './wall-clock.js';
