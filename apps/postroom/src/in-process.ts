import { hostname } from 'node:os';
import { InProcessBus, traced } from '@postroom/bus';
import { type AppName, eventConsumers, type ServiceName, services } from '@postroom/contracts';
import { drainMs, watchDeadLetters, type Service } from '@postroom/operations';
import { Health, Metrics, traceProcess, type Lifecycle, type Log } from '@postroom/service';
import { publicUrlOf, type PostroomConfig } from './config.js';
import { type Access, openAccess, openDatabase } from './database.js';
import { openOutbox } from './outbox.js';
import { serviceEnvironments } from './service-environments.js';
import { codeOf, portInUse, portOf, installed, startOrder } from './services.js';

/** The whole product, serving but not yet ready. */
export interface RunningProduct {
  readonly publicUrl: string;
  readonly access: Access;
  /** Makes the product ready once the demo exists. */
  ready(): void;
  /** Calls back with all processes of a cluster, now and at each change. */
  watchInstances?(changed: (instances: readonly Instance[]) => void): void;
}

/**
 * Starts and prepares PostgreSQL, then every service on an in-process bus. What has been started is
 * registered with the lifecycle, so that it is stopped when a later step fails.
 */
export async function startInProcess(
  config: PostroomConfig,
  env: NodeJS.ProcessEnv,
  log: Log,
  lifecycle: Lifecycle,
): Promise<RunningProduct> {
  const database = await openDatabase(config, log, lifecycle);
  const access = await openAccess(database.urls, lifecycle);
  const outbox = await openOutbox(config, lifecycle);
  const { installation } = database;
  const environments = serviceEnvironments({ config, installation, outbox }, env, database);
  const health = new Health([...startOrder.map((name) => services[name].app), 'demo']);
  const metrics = new Metrics();
  const spans = { service: 'postroom', instance: hostname(), log, metrics };
  const stopTraces = await traceProcess(config, spans);
  if (stopTraces) lifecycle.onStop('traces', stopTraces);
  const inProcess = new InProcessBus({ consumers: eventConsumers });
  const bus = traced(inProcess);
  watchDeadLetters(metrics, () =>
    Object.keys(eventConsumers).map((consumer) => ({
      labels: { consumer },
      value: inProcess.deadLetters.filter((letter) => letter.consumer === consumer).length,
    })),
  );
  const parts = { bus, log, health, metrics };

  const started = new Map<ServiceName, Service>();
  for (const name of startOrder) {
    const service = await installed[name].create(environments[name], parts);
    lifecycle.onStop(name, () => service.close(), drainMs);
    started.set(name, service);
  }
  for (const [name, service] of [...started].reverse()) {
    await inUse(config, name, service.listen());
    health.ready(services[name].app, true);
  }
  lifecycle.onStop('readiness', () => {
    health.stopping();
  });
  return {
    publicUrl: publicUrlOf(config),
    access,
    ready: () => {
      health.ready('demo', true);
    },
  };
}

/** Turns a port in use into an error that names the setting to change. */
async function inUse(
  config: PostroomConfig,
  name: ServiceName,
  listening: Promise<void>,
): Promise<void> {
  try {
    await listening;
  } catch (error) {
    const taken = portOf(error);
    const variable = installed[name].ports.find(({ of }) => of(config) === taken)?.variable;
    if (codeOf(error) !== 'EADDRINUSE' || variable === undefined || taken === undefined)
      throw error;
    throw portInUse(variable, taken, error);
  }
}

/** One process of a service; beside this, what `PublicPort` says of its ports. */
export interface Instance {
  readonly service: AppName;
  /** Its unique name. */
  readonly instance: string;
  /** The base URL of `/healthz`, `/readyz` and `/metrics`. */
  readonly healthUrl: string;
  readonly pid: number;
}
