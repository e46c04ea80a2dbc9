export {
  disableSubscription,
  findSubscription,
  requireSubscription,
} from './stored-subscriptions.js';
export { subscriptionSeals } from './sealed-columns.js';
export { SubscriptionsModule } from './subscriptions.module.js';
export { WebhookSecrets } from './webhook-secrets.js';
