import { fileURLToPath } from 'node:url';
import { type ServiceName, serviceNames, services } from '@postroom/contracts';
import { freePorts } from '@postroom/local';
import { type ClusterConfig, publicUrlOf } from './config.js';
import type { Instance, RunningProduct } from './in-process.js';
import { codeOf, portInUse, installed, startOrder } from './services.js';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Lifecycle, Log } from '@postroom/service';
import { openAccess, openDatabase, urlsOf } from './database.js';
import { openInstallation } from './installation.js';
import { openOutbox } from './outbox.js';
import { serviceEnvironments } from './service-environments.js';
import { openBroker } from './open-broker.js';
import { Replica } from './replica.js';

/** Processes finish their requests in flight before they stop. */
const stopMs = 35_000;

/** One of the cluster's processes, and its entry in `demo.json`. */
interface Member extends Pick<PlannedReplica, 'name' | 'told'> {
  readonly replica: Replica;
}

/**
 * Starts and prepares PostgreSQL and Kafka, then every service as processes of its own. What has been
 * started is registered with the lifecycle, so that it is stopped when a later step fails.
 */
export async function startCluster(
  config: ClusterConfig,
  env: NodeJS.ProcessEnv,
  log: Log,
  lifecycle: Lifecycle,
): Promise<RunningProduct> {
  for (const { variable, of } of Object.values(installed).flatMap(({ ports }) => ports)) {
    const port = of(config);
    if (port !== null) await ensureFree(variable, port);
  }
  const [database, brokers] = await Promise.all([
    openDatabase(config, log, lifecycle),
    openBroker(config, env, log, lifecycle),
  ]);
  const access = await openAccess(database.urls, lifecycle);

  const changed = new Set<() => void>();
  const outbox = await openOutbox(config, lifecycle);
  // Read for each process anew: keys are changed while others run.
  const environmentOf = async (name: ServiceName): Promise<NodeJS.ProcessEnv> => {
    const installation = await openInstallation(config.dataDir);
    const urls = urlsOf(database.adminUrl, installation);
    return serviceEnvironments({ config, installation, outbox }, env, { urls })[name];
  };
  const planned = await planReplicas(config, brokers);
  const members = planned.map(({ name, told, program, env: own }): Member => {
    const { instance, healthUrl } = told;
    const replaced = (): void => changed.forEach((tell) => tell());
    const environment = async () => ({ ...(await environmentOf(name)), ...own });
    const options = { instance, program, env: environment, healthUrl, log, replaced };
    return { name, told, replica: new Replica(options) };
  });
  for (const name of startOrder) {
    const own = members.filter((member) => member.name === name);
    lifecycle.onStop(name, () => Promise.all(own.map(({ replica }) => replica.stop())), stopMs);
  }
  await Promise.all(members.map(({ replica }) => replica.start()));

  const instances = (): Instance[] =>
    members.map(({ told, replica }) => ({ ...told, pid: replica.pid }));
  return {
    publicUrl: publicUrlOf(config),
    access,
    // Each process has its own readiness.
    ready: () => undefined,
    watchInstances: (tell) => {
      changed.add(() => tell(instances()));
      tell(instances());
    },
  };
}

/** Checked before anything is started: otherwise every process would fail for this reason. */
async function ensureFree(variable: string, port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') throw portInUse(variable, port, error);
    throw error;
  }
  server.close();
  await once(server, 'close');
}

/** A process to start: its entry in `demo.json`, and what it is told beside the settings of its service. */
interface PlannedReplica {
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
async function planReplicas(
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

/** The addresses of a replica, for its own settings and for the others: well-known ports or free ones. */
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
