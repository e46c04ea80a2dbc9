import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningBroker, startBroker } from '@postroom/bus/broker';
import {
  announceBrokers,
  announceFirstData,
  announceSharedProduct,
  announceTopology,
  kafkaBrokers,
  productsFolder,
  type Topology,
} from './config.js';
import { copyFolder, type ProductProcess, startProduct } from './product-process.js';

let shared: ProductProcess | undefined;
let kept: string | undefined;
let broker: { readonly running: RunningBroker; readonly folder: string } | undefined;

/** Starts the product that the spec files share; files that start their own use the same topology. */
export async function startSharedProduct(topology: Topology = 'process'): Promise<void> {
  announceTopology(topology);
  if (topology === 'cluster' && kafkaBrokers() === undefined) await shareBroker();
  try {
    const started = await startProduct();
    shared = started;
    if (topology === 'process') await keepFirstData(started);
    announceSharedProduct(started.demoFile);
  } catch (error) {
    await removeAll();
    throw error;
  }
}

/** Stops it as Ctrl-C does; a product that does not end cleanly fails the run. */
export async function stopSharedProduct(): Promise<void> {
  const ended = await shared?.stop();
  await removeAll();
  if (ended && (ended.code !== 0 || ended.leftovers.length > 0)) {
    throw new Error(`The shared product ended with ${JSON.stringify(ended)}.`);
  }
}

/** Half of the time of a first start goes into the database and the demo, of which the others take a copy. */
async function keepFirstData(started: ProductProcess): Promise<void> {
  await started.stop();
  kept = await mkdtemp(join(productsFolder(), 'postroom-e2e-first-'));
  const folder = join(kept, 'data');
  await copyFolder(started.dataFolder, folder);
  announceFirstData(folder);
  await started.restart();
}

/** One broker for all clusters of a run, each with its own topics, which saves a JVM at each start. */
async function shareBroker(): Promise<void> {
  const folder = await mkdtemp(join(productsFolder(), 'postroom-e2e-kafka-'));
  const running = await startBroker({ dataDir: folder, log: () => undefined });
  broker = { running, folder };
  announceBrokers(running.brokers);
}

async function removeAll(): Promise<void> {
  await shared?.remove();
  if (kept !== undefined) await rm(kept, { recursive: true, force: true });
  await broker?.running.stop();
  if (broker) await rm(broker.folder, { recursive: true, force: true });
}
