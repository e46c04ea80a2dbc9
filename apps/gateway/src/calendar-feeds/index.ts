export { CalendarFeedsController } from './calendar-feeds.controller.js';
export { CalendarFeedsHandlers } from './calendar-feeds.handlers.js';
export { FeedLookups } from './feed-lookups.js';
export { FeedOwners } from './feed-owners.js';
