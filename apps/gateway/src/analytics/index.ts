export { AnalyticsHandlers, readClock } from './analytics.handlers.js';
export { VolumeShares } from './volume-shares.js';
export { periodOf } from './period.js';
