import { Module, type Provider } from '@nestjs/common';
import { Keyring } from '@postroom/access';
import { eventConsumers, webhooksConsumer } from '@postroom/contracts';
import {
  createService,
  onClock,
  OperationClient,
  type ProcessParts,
  type Resources,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { OutboundGuard, resolveByDns } from '@postroom/outbound';
import { Metrics } from '@postroom/service';
import { Callbacks } from './callbacks.js';
import { WebhooksConfig } from './config.js';
import { DeliveriesHandlers } from './deliveries.handlers.js';
import { Dispatcher } from './dispatcher.js';
import { EventSubscriptionsHandlers } from './event-subscriptions.handlers.js';
import { EventRecorder } from './event-recorder.js';
import { FeedHandlers, FeedWaits } from './feed.handlers.js';
import { KeyDeliveries } from './key-deliveries.js';
import { webhooksSchema, webhooksSeals } from './migrations/index.js';
import { lacksEvents } from './stored-feed.js';
import { Poster, type PosterOptions } from './poster.js';
import { retentionJobs } from './retention.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhooksHandlers, WebhookTestsHandlers } from './webhooks.handlers.js';

/** Every group of events in the public list, and no other. */
const { groups } = eventConsumers[webhooksConsumer];

/** The PostgreSQL channel on which `append_events` announces recorded events; every replica listens. */
const channel = 'postroom_webhooks';

@Module({})
class WebhooksModule {}

const controllers = [
  WebhooksHandlers,
  WebhookTestsHandlers,
  DeliveriesHandlers,
  FeedHandlers,
  EventSubscriptionsHandlers,
];

const providers: Provider[] = [
  {
    provide: WebhookSecrets,
    inject: [Keyring],
    useFactory: (keyring: Keyring) => new WebhookSecrets(keyring),
  },
  Callbacks,
  Dispatcher,
  FeedWaits,
  KeyDeliveries,
];

const guardOf = ({ webhookAllowedCidrs, outboundDnsServers }: WebhooksConfig): OutboundGuard =>
  new OutboundGuard({
    allowed: webhookAllowedCidrs ?? [],
    resolve: resolveByDns(outboundDnsServers ?? []),
  });

const clientOf = ({ bus, callerKey }: Resources<WebhooksConfig>): OperationClient =>
  new OperationClient(bus, { webhooks: callerKey });

/** Builds the service from its configuration and a bus. */
export async function createWebhooksApp(
  config: WebhooksConfig,
  process: ProcessParts,
  posterOptions: PosterOptions = {},
): Promise<Service> {
  const { webhookEventDays: eventDays, webhookHistoryDays: historyDays } = config;
  const guard = guardOf(config);
  let resources: Resources<WebhooksConfig> | undefined;
  const service = await createService({
    name: 'webhooks',
    config,
    process,
    sealed: webhooksSeals,
    jobs: retentionJobs({ eventDays, historyDays }),
    lacksEvents,
    module: (ofService) => {
      resources = ofService;
      const given = [
        { provide: OutboundGuard, useValue: guard },
        { provide: Poster, useValue: new Poster(guard, posterOptions) },
        { provide: OperationClient, useValue: clientOf(ofService) },
        { provide: Metrics, useValue: process.metrics },
      ];
      return { module: WebhooksModule, controllers, providers: [...given, ...providers] };
    },
  });
  const dispatcher = service.get(Dispatcher);
  const waits = service.get(FeedWaits);
  const wake = (tenantId?: string): void => {
    dispatcher.wake();
    waits.wake(tenantId);
  };
  let stopConsuming = (): Promise<void> => Promise.resolve();
  return {
    ...service,
    async listen() {
      if (!resources) throw new Error('a service has its resources before it listens');
      // Deliveries start before the bus: they need the database alone, and after a crash it takes seconds
      // until the broker lets this process into the consumer groups of the one that died.
      await resources.listener.listen(channel, wake);
      onClock(resources.database, wake);
      dispatcher.start();
      await service.listen();
      stopConsuming = await recordEvents(resources);
    },
    async close() {
      await stopConsuming();
      await dispatcher.stop();
      await service.close();
    },
  };
}

/** Records events as the bus brings them. @returns a function that stops consuming */
async function recordEvents({
  bus,
  database,
  log,
}: Resources<WebhooksConfig>): Promise<() => Promise<void>> {
  const recorder = new EventRecorder(database, log);
  const unsubscribe = await bus.subscribe(webhooksConsumer, groups, (event) =>
    recorder.record(event),
  );
  return () => {
    recorder.stop();
    return unsubscribe();
  };
}

/** Webhook subscriptions, deliveries and the event feed. */
export const webhooksService: ServiceDefinition<WebhooksConfig> = {
  name: 'webhooks',
  config: WebhooksConfig,
  schema: webhooksSchema,
  sealed: webhooksSeals,
  create: createWebhooksApp,
  sendsRequests: true,
};
