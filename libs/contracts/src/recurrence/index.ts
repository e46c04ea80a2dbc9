export * from './recurrence.js';
export { parseRrule, RruleFault, rruleText } from './rrule-text.js';
export * from './rule.js';
