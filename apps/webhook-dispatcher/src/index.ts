export { WebhooksConfig } from './config.js';
export { webhooksSchema, webhooksSeals } from './migrations/index.js';
export { createWebhooksApp, webhooksService } from './webhook-dispatcher-app.js';
export { subscriptionSeals } from './webhook-secrets.js';
