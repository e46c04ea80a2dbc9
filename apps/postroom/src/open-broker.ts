import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type RunningBroker } from '@postroom/local';
import { SetupError } from '@postroom/service/setup-error';
import { KafkaSecurityConfig, loadConfig, type Lifecycle, type Log } from '@postroom/service';
import type { ClusterConfig } from './config.js';
import { writeSecretFile } from './installation.js';
import { clusterFile, makeTopics, securityOf } from './kafka.js';
import { BackOff } from './replica.js';

/** Finds or starts a Kafka and creates the topics. The lifecycle stops one that is our own. */
export async function openBroker(
  config: ClusterConfig,
  env: NodeJS.ProcessEnv,
  log: Log,
  lifecycle: Lifecycle,
): Promise<readonly string[]> {
  const { kafkaPrefix: prefix } = config;
  const security = await securityOf(loadConfig(KafkaSecurityConfig, env), prefix);
  if (config.kafkaBrokers === null && (security.tls ?? security.sasl)) {
    throw new SetupError(
      'KAFKA_TLS and KAFKA_SASL_MECHANISM need brokers of yours: KAFKA_BROKERS.',
    );
  }
  const brokers = config.kafkaBrokers ?? [await startOwnBroker(config.dataDir, log, lifecycle)];
  await makeTopics({ brokers, security }, prefix);
  await writeSecretFile(clusterFile(config), { brokers });
  return brokers;
}

/** Starts a broker, and restarts it when it dies. */
async function startOwnBroker(dataDir: string, log: Log, lifecycle: Lifecycle): Promise<string> {
  const stopping = new AbortController();
  const backOff = new BackOff();
  let startedAt = performance.now();
  let reviving: Promise<void> = Promise.resolve();
  const revive = async (broker: RunningBroker): Promise<void> => {
    for (let alive = false; !alive && !stopping.signal.aborted;) {
      const delayMs = backOff.afterLife(performance.now() - startedAt);
      await sleep(delayMs, undefined, { signal: stopping.signal });
      startedAt = performance.now();
      alive = await broker.restart().then(
        () => true,
        (err: unknown) => {
          log.error({ err }, 'The broker cannot be started.');
          return false;
        },
      );
    }
  };
  const starting = startBroker({
    dataDir: join(dataDir, 'kafka'),
    log: (line) => {
      log.warn(line);
    },
    onDeath: () => {
      reviving = starting.then(revive).catch(() => undefined);
    },
  });
  // Registered before it has started, so that a stop during the start leaves no broker behind.
  lifecycle.onStop(
    'broker',
    async () => {
      stopping.abort();
      const broker = await starting.catch(() => undefined);
      // A broker can only be stopped once it has started.
      await reviving;
      await broker?.stop();
    },
    60_000,
  );
  return (await starting).brokers;
}
