export { AnalyticsHandlers } from './analytics.handlers.js';
export { VolumeShares } from './volume-shares.js';
