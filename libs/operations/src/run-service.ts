import type { SealedColumn } from '@postroom/access';
import { KafkaBus, traced } from '@postroom/bus';
import { services, type ServiceName } from '@postroom/contracts';
import { requireMigrations, type ServiceSchema } from '@postroom/persistence/provision';
import { runProcess } from '@postroom/service';
import type { ProcessParts, Service } from './create-service.js';
import { watchDeadLetters } from './service-metrics.js';
import { type BusServiceConfig, eventKeysOf, ServiceConfig } from './service-config.js';

/** A service without a database, as its process or a composition creates it. */
export interface StatelessServiceDefinition<
  C extends BusServiceConfig,
  S extends Service = Service,
> {
  readonly name: ServiceName;
  readonly config: new () => C;
  readonly create: (config: Readonly<C>, parts: ProcessParts) => Promise<S>;
  /** True if it sends requests to other services, for which it has a reply topic. */
  readonly sendsRequests: boolean;
}

/** A service with a database. */
export interface ServiceDefinition<
  C extends ServiceConfig,
  S extends Service = Service,
> extends StatelessServiceDefinition<C, S> {
  readonly schema: ServiceSchema<ServiceName>;
  /** The columns of its schema that hold encrypted secrets; none by default. */
  readonly sealed?: readonly SealedColumn[];
}

/** A service answers what it has in flight before it stops; an operation may take 10 s. */
export const drainMs = 20_000;

/** A definition of either kind: only a service with a database has a schema. */
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
    // A service without a database has no outbox, and consumes no events.
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
    watchDeadLetters(parts.metrics, () => bus.deadLetters());
    const service = await create(settings, { ...parts, bus: traced(bus) });
    lifecycle.onStop(name, () => service.close(), drainMs);
    await service.listen();
    return bus;
  });
