import type { SealedColumn } from '@postroom/access';
import { KafkaBus, traced } from '@postroom/bus';
import { services, type ServiceName } from '@postroom/contracts';
import { requireMigrations, type ServiceSchema } from '@postroom/persistence/provision';
import { runProcess } from '@postroom/service';
import type { ProcessParts, Service } from './create-service.js';
import { eventKeysOf } from './event-keys.js';
import { ServiceConfig, type BusServiceConfig } from './service-config.js';

/** A service, as processes and compositions make it. */
export interface StatelessServiceDefinition<
  C extends BusServiceConfig,
  S extends Service = Service,
> {
  readonly name: ServiceName;
  readonly config: new () => C;
  readonly create: (config: Readonly<C>, parts: ProcessParts) => Promise<S>;
  /** Whether it asks other services: it has a reply topic then. */
  readonly sendsRequests: boolean;
}

/** One that has a database. */
export interface ServiceDefinition<
  C extends ServiceConfig,
  S extends Service = Service,
> extends StatelessServiceDefinition<C, S> {
  readonly schema: ServiceSchema<ServiceName>;
  /** What it encrypts for in its schema; nothing when not given. */
  readonly sealed?: readonly SealedColumn[];
}

/** A service answers what it has in flight before it stops; an operation may take 10 s. */
export const drainMs = 20_000;

/** With a schema or without, as the service has a database or not. */
type Runnable<C extends BusServiceConfig> = StatelessServiceDefinition<C> &
  Partial<Pick<ServiceDefinition<ServiceConfig>, 'schema'>>;

/** Runs a service as a process of its own, on Kafka. It does not start on a database that is not migrated. */
export const runService = <C extends BusServiceConfig>(
  { name, config, create, sendsRequests, schema }: Runnable<C>,
  env: NodeJS.ProcessEnv,
): Promise<void> =>
  runProcess(services[name].app, config, env, async ({ kafka, lifecycle, ...parts }) => {
    const settings = parts.config;
    if (schema && settings instanceof ServiceConfig) {
      await requireMigrations(settings.databaseUrl, schema);
    }
    // One without a database has no outbox, and consumes no events.
    const signatures = schema ? eventKeysOf(name, env) : null;
    const bus = await KafkaBus.connect({
      ...kafka,
      ...{ log: parts.log, sendsRequests, signatures },
      onUnverified: parts.metrics.counter({
        name: 'postroom_bus_unverified_total',
        help: 'Records on the bus that are not signed by who may write them; none has had an effect.',
      }),
    });
    lifecycle.onStop('bus', () => bus.close());
    parts.metrics.gauge(
      {
        name: 'postroom_consumer_lag_seconds',
        help: 'How old the oldest record is that a consumer group has taken and not handled.',
        labelNames: ['group'],
      },
      () => bus.lags(),
    );
    const service = await create(settings, { ...parts, bus: traced(bus) });
    lifecycle.onStop(name, () => service.close(), drainMs);
    await service.listen();
    return bus;
  });
