import { busUser } from '@postroom/contracts';
import { ConfigError, loadConfigs } from './config.js';
import { Health } from './health.js';
import { Lifecycle } from './lifecycle.js';
import { createLog, type Log } from './log.js';
import { kafkaSecurity, type ReadKafkaSecurity } from './kafka-security.js';
import { Metrics } from './metrics.js';
import { instanceName, ProcessConfig } from './process-config.js';
import { serveProbes } from './probe-server.js';
import { traceProcess, TracingConfig } from './trace-process.js';

/** The parts of which a service's process has one each. */
export interface ProcessParts<C> {
  readonly config: Readonly<C>;
  /** The address of the bus, and this process's identity on it. */
  readonly kafka: {
    readonly brokers: readonly string[];
    readonly prefix: string;
    readonly security: ReadKafkaSecurity;
    readonly instance: string;
  };
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** A bus as the probes see it. */
export interface WatchedBus {
  health(): { readonly ready: boolean; readonly alive: boolean; readonly problem?: string };
}

/**
 * The life of a service's process: its settings, its probes, then what `start` builds, registering
 * how each part is stopped; ready when that is done and the bus has joined. A start that fails ends
 * the process with 1, after stopping what had been started.
 *
 * @param start builds the service on a bus, which it answers once the service serves
 */
export async function runProcess<C extends object>(
  service: string,
  config: new () => C,
  env: NodeJS.ProcessEnv,
  start: (parts: ProcessParts<C>) => Promise<WatchedBus>,
): Promise<void> {
  try {
    const [own, tracing, settings] = loadConfigs([ProcessConfig, TracingConfig, config], env);
    const instance = instanceName(service, own);
    const log = createLog({ level: own.logLevel, format: own.logFormat });
    const { kafkaBrokers: brokers, kafkaPrefix: prefix } = own;
    const security = await kafkaSecurity(own, busUser(service, prefix));
    const kafka = { brokers, prefix, instance, security };
    await live(service, own, log.child({ service, instance }), async (parts) => {
      const stop = await traceProcess(tracing, {
        ...parts,
        service: `postroom-${service}`,
        instance,
      });
      if (stop) parts.lifecycle.onStop('traces', stop);
      return start({ ...parts, config: settings, kafka });
    });
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    process.stderr.write(`${error instanceof ConfigError ? message : (stack ?? message)}\n`);
    process.exit(1);
  }
}

type LiveParts = Pick<ProcessParts<object>, 'log' | 'lifecycle' | 'health' | 'metrics'>;

async function live(
  service: string,
  { healthHost: host, healthPort: port }: ProcessConfig,
  log: Log,
  start: (parts: LiveParts) => Promise<WatchedBus>,
): Promise<void> {
  const lifecycle = new Lifecycle(log);
  lifecycle.handleSignals();
  const health = new Health(['bus', service]);
  const metrics = new Metrics();
  try {
    const probes = await serveProbes({ host, port, health, metrics });
    lifecycle.onStop('probes', () => probes.close());
    const bus = await start({ log, lifecycle, health, metrics });
    health.ready('bus', () => {
      const { ready, problem = 'not joined' } = bus.health();
      return ready || problem;
    });
    health.live('bus', () => bus.health().alive || 'a consumer has stopped consuming');
    health.ready(service, true);
    lifecycle.onStop('readiness', () => {
      health.stopping();
    });
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}
