import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningBroker, startBroker } from '@postroom/local';
import {
  announceBrokers,
  announceFirstData,
  announceSharedProduct,
  announceTopology,
  kafkaBrokers,
  productsFolder,
  type Topology,
} from './config.js';
import { type ProductProcess, startProduct } from './product-process.js';

let shared: ProductProcess | undefined;
/** Stopped after its first start: the data folder that others are copies of. */
let kept: ProductProcess | undefined;
let broker: { readonly running: RunningBroker; readonly folder: string } | undefined;

/** The preparation of a run of Jest, by its spec files (apps/e2e/suite.mjs). */
export interface Needs {
  readonly topology: Topology;
  /** Some of its files use the product that files share. */
  readonly sharesProduct: boolean;
  /** Some start products of their own, which use the same topology. */
  readonly startsProducts: boolean;
}

export async function startForRun({ topology, ...needs }: Needs): Promise<void> {
  announceTopology(topology);
  if (topology === 'cluster' && kafkaBrokers() === undefined) await shareBroker();
  try {
    if (topology === 'process' && needs.startsProducts) await keepFirstData();
    if (needs.sharesProduct) {
      shared = await startProduct();
      announceSharedProduct(shared.demoFile);
    }
  } catch (error) {
    await removeAll();
    throw error;
  }
}

/** Stops the shared product as Ctrl-C does; one that does not end cleanly fails the run. */
export async function stopAfterRun(): Promise<void> {
  const ended = await shared?.stop();
  await removeAll();
  if (ended && (ended.code !== 0 || ended.leftovers.length > 0)) {
    throw new Error(`The shared product ended with ${JSON.stringify(ended)}.`);
  }
}

/** Half of the time of a first start goes into the database and the demo, of which products take a copy. */
async function keepFirstData(): Promise<void> {
  kept = await startProduct();
  await kept.stop();
  announceFirstData(kept.dataFolder);
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
  await kept?.remove();
  await broker?.running.stop();
  if (broker) await rm(broker.folder, { recursive: true, force: true });
}
