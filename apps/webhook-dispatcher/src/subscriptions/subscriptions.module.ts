import { Module } from '@nestjs/common';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookTestsHandlers } from './webhook-tests.handlers.js';
import { WebhooksHandlers } from './webhooks.handlers.js';

@Module({
  controllers: [WebhooksHandlers, WebhookTestsHandlers],
  providers: [WebhookSecrets],
  exports: [WebhookSecrets],
})
export class SubscriptionsModule {}
