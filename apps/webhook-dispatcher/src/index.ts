export { WebhooksConfig } from './config.js';
export { createWebhooksApp, webhooksService } from './webhook-dispatcher-app.js';
export { webhooksSchema } from './migrations/index.js';
