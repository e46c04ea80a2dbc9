import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ServiceName } from '@postroom/contracts';
import type { Lifecycle, Log } from '@postroom/service';
import { publicUrlOf, type ClusterConfig } from '../config.js';
import { openDatabase, urlsOf } from '../database.js';
import { openInstallation } from '../installation.js';
import type { Instance } from '../instance.js';
import { openOutbox } from '../outbox.js';
import { serviceEnvironments } from '../service-environments.js';
import { codeOf, portInUse } from '../start-error.js';
import { openAccess } from '../open-access.js';
import { installed, startOrder } from '../services.js';
import type { Workspace } from '../workspace.js';
import { openBroker } from './open-broker.js';
import { Replica } from './replica.js';
import { planReplicas, type PlannedReplica } from './replicas.js';

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
): Promise<Workspace> {
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
