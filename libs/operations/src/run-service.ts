import { KafkaBus } from '@postroom/bus';
import { services, type ServiceName } from '@postroom/contracts';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { runProcess } from '@postroom/service';
import type { ProcessParts, Service } from './create-service.js';
import type { BusServiceConfig, ServiceConfig } from './service-config.js';

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
}

/** A service answers what it has in flight before it stops; an operation may take 10 s. */
export const drainMs = 20_000;

/** Runs a service as a process of its own, on Kafka. */
export const runService = <C extends BusServiceConfig>(
  { name, config, create, sendsRequests }: StatelessServiceDefinition<C>,
  env: NodeJS.ProcessEnv,
): Promise<void> =>
  runProcess(services[name].app, config, env, async ({ kafka, lifecycle, ...parts }) => {
    const bus = await KafkaBus.connect({ ...kafka, log: parts.log, sendsRequests });
    lifecycle.onStop('bus', () => bus.close());
    const service = await create(parts.config, { ...parts, bus });
    lifecycle.onStop(name, () => service.close(), drainMs);
    await service.listen();
    return bus;
  });
