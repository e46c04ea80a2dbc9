import { eventConsumers, webhooksConsumer } from '@postroom/contracts';
import {
  createService,
  type ProcessParts,
  type Resources,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { OutboundGuard, resolveByDns } from '@postroom/outbound';
import { WebhooksConfig } from './config.js';
import { Dispatcher, Poster, type PosterOptions } from './delivery/index.js';
import { FeedWaits } from './feed/index.js';
import { webhooksSchema, webhooksSeals } from './migrations/index.js';
import { EventRecorder } from './recording/index.js';
import { retentionJobs } from './retention.js';
import { WebhooksModule } from './webhook-dispatcher.module.js';

/** Who consumes the events for the outside: of every group of the list, and of no other. */
const { groups } = eventConsumers[webhooksConsumer];

/** Where it is announced that events were recorded (`append_events`): every replica listens. */
const channel = 'postroom_webhooks';

/** Builds the service from its configuration and a bus. */
export async function createWebhooksApp(
  config: WebhooksConfig,
  process: ProcessParts,
  posterOptions: PosterOptions = {},
): Promise<Service> {
  const guard = new OutboundGuard({
    allowed: config.webhookAllowedCidrs ?? [],
    resolve: resolveByDns(config.outboundDnsServers ?? []),
  });
  let resources: Resources<WebhooksConfig> | undefined;
  const service = await createService({
    name: 'webhooks',
    config,
    process,
    sealed: webhooksSeals,
    jobs: retentionJobs({
      eventDays: config.webhookEventDays,
      historyDays: config.webhookHistoryDays,
    }),
    module: (given) => {
      resources = given;
      return WebhooksModule.from(guard, new Poster(guard, posterOptions), process.metrics);
    },
  });
  const dispatcher = service.get(Dispatcher);
  const waits = service.get(FeedWaits);
  const wake = (): void => {
    dispatcher.wake();
    waits.wake();
  };
  let stopConsuming = (): Promise<void> => Promise.resolve();
  return {
    ...service,
    async listen() {
      if (!resources) throw new Error('a service has its resources before it listens');
      // Deliveries need the database alone: after a crash it takes seconds until the broker lets this
      // process into the groups of the one that died.
      await resources.listener.listen(channel, wake);
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

/** Records events as the bus brings them. @returns what ends it */
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
  sendsRequests: false,
};
