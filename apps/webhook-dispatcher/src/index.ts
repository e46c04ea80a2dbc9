export { WebhooksConfig } from './config.js';
export { createWebhooksApp, webhooksService } from './webhook-dispatcher-app.js';
export { webhooksSchema, webhooksSeals } from './migrations/index.js';
export { subscriptionSeals } from './subscriptions/index.js';
