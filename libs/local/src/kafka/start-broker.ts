import type { ChildProcess } from 'node:child_process';
import { access, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../free-port.js';
import { SetupError } from '@postroom/service/setup-error';
import { brokerMissing, defaultCacheDir, fetchJars } from './jars.js';
import { formatStorage, kill, launch, stop } from './java-process.js';
import { securityFor, userArguments, type Secured } from './secured.js';
import {
  newClusterId,
  serverProperties,
  storageIn,
  type ClusterNode,
} from './server-properties.js';
import { untilGroupsWork, type AdminAccess } from './until-ready.js';

/** Options of `startBroker`. */
export interface BrokerOptions {
  /** The broker's folder, made if missing: `data/`, `server.properties`, `broker.log`. */
  readonly dataDir: string;
  /** Prints a line for the person who started Postroom. */
  readonly log: (line: string) => void;
  /** The port for clients, on 127.0.0.1; any free port by default. */
  readonly port?: number | undefined;
  /** Enables the JVM's optimising compiler: a slower start, and more throughput. */
  readonly longLived?: boolean;
  /** Called when the broker ended without being stopped; {@link RunningBroker.restart} starts it again. */
  readonly onDeath?: (() => void) | undefined;
  /** The folder of the jars; `postroom/` in the user's cache folder by default. */
  readonly cacheDir?: string | undefined;
  /** Has clients speak TLS, sign in, and do only what ACLs allow. */
  readonly secured?: Secured | undefined;
  /** Its place among several brokers; `startBrokers` starts them together. */
  readonly node?: ClusterNode | undefined;
}

/** A running broker. */
export interface RunningBroker {
  /** `host:port`, for KAFKA_BROKERS; the same over restarts. */
  readonly brokers: string;
  /** Shuts it down gracefully and resolves when it has ended; may be called again. */
  stop(): Promise<void>;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, after stopping it if it runs. */
  restart(): Promise<void>;
}

/** A killed broker may hold its folder and its port a little longer. */
const transientMs = 5_000;
const transient = /Failed to acquire lock|Address already in use|Socket server failed to bind/;

/**
 * Starts a Kafka broker: a KRaft node that listens on 127.0.0.1 only, on Java 17 or later, from jars
 * that Maven fetches once. Its data are kept between starts; it ends with this process, also when that
 * is killed.
 *
 * @throws SetupError when a broker cannot be started, or the folder is in use
 */
export async function startBroker(options: BrokerOptions): Promise<RunningBroker> {
  const { log, longLived = false, cacheDir = defaultCacheDir() } = options;
  const missing = brokerMissing(cacheDir);
  if (missing !== null) {
    throw new SetupError(`${missing} Install it, or set KAFKA_BROKERS to a broker's address.`);
  }
  await mkdir(options.dataDir, { recursive: true, mode: 0o711 });
  const dataDir = await realpath(options.dataDir);
  const jars = await fetchJars(cacheDir, log);
  const { secured, node } = options;
  const storage: Storage = { jars, dataDir, longLived, secured, node };
  let { child, port } = await launchOn(storage, options.port);
  let expected = false;
  const watch = (): void => {
    expected = false;
    child.once('exit', () => {
      if (expected) return;
      log(`The broker ended by itself; see ${logIn(dataDir)}.`);
      options.onDeath?.();
    });
  };
  watch();
  const end = (how: (child: ChildProcess) => Promise<void>): Promise<void> => {
    expected = true;
    return how(child);
  };
  return {
    brokers: `127.0.0.1:${port}`,
    stop: () => end(stop),
    kill: () => end(kill),
    restart: async () => {
      await end(stop);
      ({ child, port } = await launchOn(storage, port));
      watch();
    },
  };
}

const logIn = (dataDir: string): string => join(dataDir, 'broker.log');

interface Storage {
  readonly jars: string;
  readonly dataDir: string;
  readonly longLived: boolean;
  readonly secured: Secured | undefined;
  readonly node: ClusterNode | undefined;
}

/** Launches on the given port, or on a free one, which another program may take first. */
async function launchOn(
  storage: Storage,
  wantedPort: number | undefined,
): Promise<{ child: ChildProcess; port: number }> {
  const { jars, dataDir, longLived, secured, node } = storage;
  const properties = join(dataDir, 'server.properties');
  const deadline = performance.now() + transientMs;
  for (;;) {
    const nextPort = freePorts([wantedPort ?? null]);
    const port = wantedPort ?? (await nextPort());
    const controllerPort = node?.controllerPorts[node.id - 1] ?? (await nextPort());
    const internalPort = await nextPort();
    const listening = { port, controllerPort, internalPort };
    await writeFile(properties, serverProperties({ dataDir, secured, node, ...listening }));
    await ensureStorage(storage, properties);
    const launched = await launch({ jars, properties, logFile: logIn(dataDir), longLived });
    if (!('failure' in launched)) {
      await untilGroupsWork(await adminAccess(port, secured));
      return { child: launched, port };
    }
    if (!transient.test(launched.failure) || performance.now() > deadline) {
      throw new SetupError(explain(launched.failure, dataDir, port));
    }
    await sleep(500);
  }
}

/** Makes the storage; the rest of an interrupted format is thrown away (`meta.properties` is the last it writes). */
async function ensureStorage({ jars, dataDir, secured, node }: Storage, properties: string) {
  const storage = storageIn(dataDir);
  const formatted = await access(join(storage, 'meta.properties')).then(
    () => true,
    () => false,
  );
  if (formatted) return;
  await rm(storage, { recursive: true, force: true });
  const clusterId = node?.clusterId ?? newClusterId();
  await formatStorage(jars, properties, clusterId, secured && userArguments(secured));
}

async function adminAccess(port: number, secured: Secured | undefined): Promise<AdminAccess> {
  const brokers = [`127.0.0.1:${port}`];
  if (!secured) return { brokers };
  const { tls, sasl } = await securityFor(secured, secured.superUser);
  return { brokers, ssl: tls, sasl };
}

function explain(failure: string, dataDir: string, port: number): string {
  if (failure.includes('Failed to acquire lock')) {
    return `Another broker is running on ${dataDir}. Stop it first, or use another data folder.`;
  }
  if (/Address already in use|Socket server failed to bind/.test(failure)) {
    return `Port ${port} is in use: the broker cannot listen on it.`;
  }
  return `The broker does not start; see ${logIn(dataDir)}. Its last words:\n${failure.slice(-2_000)}`;
}
