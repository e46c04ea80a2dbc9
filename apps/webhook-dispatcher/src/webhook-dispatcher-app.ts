import {
  createService,
  type ProcessParts,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { WebhooksConfig } from './config.js';
import { WebhooksModule } from './webhook-dispatcher.module.js';
import { webhooksSchema } from './migrations/index.js';

/** Builds the service from its configuration and a bus. */
export const createWebhooksApp = (
  config: WebhooksConfig,
  process: ProcessParts,
): Promise<Service> =>
  createService({ name: 'webhooks', config, process, module: () => WebhooksModule });

/** Webhook subscriptions, deliveries and the event feed. */
export const webhooksService: ServiceDefinition<WebhooksConfig> = {
  name: 'webhooks',
  config: WebhooksConfig,
  schema: webhooksSchema,
  create: createWebhooksApp,
  sendsRequests: false,
};
