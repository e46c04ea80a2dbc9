import { announceSharedProduct, announceTopology, type Topology } from './config.js';
import type { RunningProduct } from './product.js';
import { startProduct } from './product-process.js';

let shared: RunningProduct | undefined;

/** Starts the product that the spec files share; those that start their own start the same kind. */
export async function startSharedProduct(topology: Topology = 'process'): Promise<void> {
  announceTopology(topology);
  const started = await startProduct();
  shared = started;
  announceSharedProduct(started.demoFile);
}

/** Stops it as Ctrl-C does; a product that does not end well fails the run. */
export async function stopSharedProduct(): Promise<void> {
  const ended = await shared?.stop();
  await shared?.remove();
  if (ended && (ended.code !== 0 || ended.leftovers.length > 0)) {
    throw new Error(`The shared product ended with ${JSON.stringify(ended)}.`);
  }
}
