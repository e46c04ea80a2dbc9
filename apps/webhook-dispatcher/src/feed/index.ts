export { FeedModule } from './feed.module.js';
export { FeedWaits } from './feed-waits.js';
