/** What of subscriptions needs no framework, for migrations. */
export { subscriptionSeals } from './sealed-columns.js';
