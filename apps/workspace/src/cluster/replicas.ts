import { fileURLToPath } from 'node:url';
import { freePort } from '@postroom/persistence/server';
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
  for (const service of ['gateway', 'mail'] as const) {
    for (let number = 1; number <= replicasEach; number++) {
      const wellKnown = service === 'gateway' ? config.port : config.smtpPort;
      const port = number === 1 ? wellKnown : await freePort();
      const healthPort = await freePort();
      const instance = `${service}-${number}`;
      planned.push({
        told: { service, instance, ...addressOf(service, port), healthUrl: urlOf(healthPort) },
        program: programs[service],
        env: {
          ...environments[service],
          [service === 'gateway' ? 'PORT' : 'SMTP_PORT']: String(port),
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

const addressOf = (service: Instance['service'], port: number) =>
  service === 'gateway' ? { baseUrl: `${urlOf(port)}/public` } : { smtp: { host, port } };
