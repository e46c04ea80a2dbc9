import { fileURLToPath } from 'node:url';
import { freePorts } from '@postroom/persistence/server';
import type { ClusterConfig } from '../config.js';
import type { Instance } from '../instance.js';

/** A process to be started: what `demo.json` says of it, and what it is told. */
export interface PlannedReplica {
  readonly told: Omit<Instance, 'pid'>;
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Of each service, so that whatever one process alone knows is seen to be missing in the other. */
const replicasEach = 2;

const host = '127.0.0.1';

const programs = {
  gateway: fileURLToPath(import.meta.resolve('@postroom/gateway/main')),
  mail: fileURLToPath(import.meta.resolve('@postroom/mail/main')),
};

/**
 * Two processes of each service, the first of each on the ports that are told to users, the others
 * and every listener of probes on free ones.
 */
export async function planReplicas(
  config: ClusterConfig,
  brokers: readonly string[],
  environments: Readonly<Record<Instance['service'], NodeJS.ProcessEnv>>,
): Promise<PlannedReplica[]> {
  const planned: PlannedReplica[] = [];
  const freePort = freePorts([config.port, config.smtpPort, config.lmtpPort]);
  for (const service of ['gateway', 'mail'] as const) {
    for (let number = 1; number <= replicasEach; number++) {
      const portFor = (wellKnown: number): number | Promise<number> =>
        number === 1 ? wellKnown : freePort();
      const listeners = await listenersOf(service, config, portFor);
      const healthPort = await freePort();
      const instance = `${service}-${number}`;
      planned.push({
        told: { service, instance, ...listeners.told, healthUrl: urlOf(healthPort) },
        program: programs[service],
        env: {
          ...environments[service],
          ...listeners.env,
          KAFKA_BROKERS: brokers.join(','),
          KAFKA_PREFIX: config.kafkaPrefix,
          INSTANCE: instance,
          HEALTH_HOST: host,
          HEALTH_PORT: String(healthPort),
          LOG_LEVEL: config.logLevel,
          LOG_FORMAT: 'plain',
        },
      });
    }
  }
  return planned;
}

const urlOf = (port: number): string => `http://${host}:${port}`;

/** Where a replica serves, as others are told of it and as it is told. */
async function listenersOf(
  service: Instance['service'],
  config: ClusterConfig,
  portFor: (wellKnown: number) => number | Promise<number>,
): Promise<{ told: Partial<Instance>; env: NodeJS.ProcessEnv }> {
  if (service === 'gateway') {
    const port = await portFor(config.port);
    return { told: { baseUrl: `${urlOf(port)}/public` }, env: { PORT: String(port) } };
  }
  const smtp = { host, port: await portFor(config.smtpPort) };
  const env = { SMTP_PORT: String(smtp.port) };
  if (config.lmtpPort === null) return { told: { smtp }, env };
  const lmtp = { host, port: await portFor(config.lmtpPort) };
  return { told: { smtp, lmtp }, env: { ...env, LMTP_PORT: String(lmtp.port) } };
}
