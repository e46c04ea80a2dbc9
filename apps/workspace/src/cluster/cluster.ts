import { once } from 'node:events';
import { createServer } from 'node:net';
import { connectAccess, openWorkspace, workspaceId } from '@postroom/gateway';
import type { Lifecycle, Log } from '@postroom/service';
import { publicUrlOf, type ClusterConfig } from '../config.js';
import { openDatabase } from '../database.js';
import type { Instance } from '../instance.js';
import { openOutbox } from '../outbox.js';
import { serviceEnvironments } from '../service-environments.js';
import { codeOf, portInUse } from '../start-error.js';
import type { Workspace } from '../workspace.js';
import { openBroker } from './open-broker.js';
import { Replica } from './replica.js';
import { planReplicas, type PlannedReplica } from './replicas.js';

/** A service's processes answer what they have in flight before they stop. */
const stopMs = 35_000;

/** One of the cluster's processes, and what is told of it. */
interface Member {
  readonly told: PlannedReplica['told'];
  readonly replica: Replica;
}

/**
 * Starts PostgreSQL and Kafka, prepares both, and every service as processes of its own. What was
 * started is registered with the lifecycle, also when a later step fails.
 */
export async function startCluster(
  config: ClusterConfig,
  env: NodeJS.ProcessEnv,
  log: Log,
  lifecycle: Lifecycle,
): Promise<Workspace> {
  await ensureFree('PORT', config.port);
  await ensureFree('SMTP_PORT', config.smtpPort);
  if (config.lmtpPort !== null) await ensureFree('LMTP_PORT', config.lmtpPort);
  const [database, brokers] = await Promise.all([
    openDatabase(config, log, lifecycle),
    openBroker(config, log, lifecycle),
  ]);
  const access = await connectAccess(database.urls.access);
  lifecycle.onStop('database', () => access.close());

  const changed = new Set<() => void>();
  const outbox = await openOutbox(config, lifecycle);
  const environments = serviceEnvironments(config, env, database, outbox);
  const planned = await planReplicas(config, brokers, environments);
  const members = planned.map(({ told, program, env: own }): Member => {
    const { instance, healthUrl } = told;
    const replaced = (): void => changed.forEach((tell) => tell());
    const options = { instance, program, env: own, healthUrl, log, replaced };
    return { told, replica: new Replica(options) };
  });
  for (const service of ['mail', 'gateway'] as const) {
    const own = members.filter(({ told }) => told.service === service);
    lifecycle.onStop(service, () => Promise.all(own.map(({ replica }) => replica.stop())), stopMs);
  }
  await Promise.all(members.map(({ replica }) => replica.start()));

  const instances = (): Instance[] =>
    members.map(({ told, replica }) => ({ ...told, pid: replica.pid }));
  return {
    publicUrl: publicUrlOf(config),
    access: {
      openWorkspace: (workspace) => openWorkspace(access, workspace),
      workspaceId: (name) => workspaceId(access, name),
    },
    // Each process answers for itself.
    ready: () => undefined,
    watchInstances: (tell) => {
      changed.add(() => tell(instances()));
      tell(instances());
    },
  };
}

/** Asked before anything is started: the processes would end, one by one, for the same reason. */
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
