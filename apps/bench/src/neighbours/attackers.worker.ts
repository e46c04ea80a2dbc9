import { parentPort, workerData } from 'node:worker_threads';
import { attacks, Battlefield, type Attacking, type Product } from '@postroom/e2e';
import type { AttackOrder, AttackReport } from './attackers.js';

/** Prepares all attacks, and makes those that it is told to, one at a time. */
const report = (said: AttackReport): void => parentPort?.postMessage(said);
const field = await Battlefield.of(workerData as Product);
const prepared = new Map<string, Attacking>();
for (const attack of attacks) prepared.set(attack.id, await attack.prepare(field));

parentPort?.on('message', ({ id, ms }: AttackOrder) => {
  prepared
    .get(id)?.(ms)
    .then(
      () => report({ failed: null }),
      (error: unknown) =>
        report({ failed: error instanceof Error ? error.message : String(error) }),
    );
});
report({ failed: null });
