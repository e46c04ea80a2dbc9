import { fileURLToPath } from 'node:url';
import { serviceNames, services, type ServiceName } from '@postroom/contracts';
import { freePorts } from '@postroom/local';
import type { ClusterConfig } from '../config.js';
import type { Instance } from '../instance.js';
import { installed } from '../services.js';

/** A process to start: its entry in `demo.json`, and what it is told beside the settings of its service. */
export interface PlannedReplica {
  readonly name: ServiceName;
  readonly told: Omit<Instance, 'pid'>;
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Two of each service, so that state kept by only one process shows as a fault. */
const replicasEach = 2;

const host = '127.0.0.1';

/**
 * Two processes of each service: the first on the configured ports, the second and all probes on
 * free ones.
 */
export async function planReplicas(
  config: ClusterConfig,
  brokers: readonly string[],
): Promise<PlannedReplica[]> {
  const planned: PlannedReplica[] = [];
  const freePort = freePorts([config.port, config.smtpPort, config.lmtpPort]);
  for (const name of serviceNames) {
    const { app } = services[name];
    for (let number = 1; number <= replicasEach; number++) {
      const listening = await listenersOf(name, config, number === 1 ? null : freePort);
      const healthPort = await freePort();
      const instance = `${app}-${number}`;
      planned.push({
        name,
        told: {
          service: app,
          instance,
          ...listening.told,
          healthUrl: `http://${host}:${healthPort}`,
        },
        program: fileURLToPath(import.meta.resolve(installed[name].program)),
        env: {
          ...listening.env,
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

/** Where a replica serves, as others are told of it and as it is told: well-known ports or free ones. */
async function listenersOf(
  name: ServiceName,
  config: ClusterConfig,
  freePort: (() => Promise<number>) | null,
): Promise<{ told: object; env: NodeJS.ProcessEnv }> {
  const listening = { told: {}, env: {} };
  for (const { variable, of, told } of installed[name].ports) {
    const wellKnown = of(config);
    if (wellKnown === null) continue;
    const port = freePort ? await freePort() : wellKnown;
    Object.assign(listening.told, told(host, port));
    Object.assign(listening.env, { [variable]: String(port) });
  }
  return listening;
}
