export * from './deliveries.js';
export * from './feed-event.js';
export * from './feed.js';
export * from './settings.js';
export * from './signature.js';
export * from './subscription.js';
export * from './test.js';
