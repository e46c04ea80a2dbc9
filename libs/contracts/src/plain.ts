/** What of the contract needs no framework, for threads: see `docs/adr/0035`. */
export * from './actors.js';
export * from './blobs.js';
export { wireAddress } from './fields/address.js';
export * from './ids.js';
export * from './problems.js';
export { rruleText, utcStamp } from './recurrence/rrule-text.js';
export * from './recurrence/rule.js';
export { momentBy, momentOf, wallClock } from './recurrence/wall-clock.js';
export * from './stream-safe.js';
