import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Product } from '@postroom/e2e';

export interface AttackOrder {
  /** The id of the attack. */
  readonly id: string;
  /** The duration of the attack. */
  readonly ms: number;
}

/** That all are prepared, or one has ended. */
export interface AttackReport {
  readonly failed: string | null;
}

/** The attacks of the hostile suite, in a thread, so as not to delay the timing of the reads. */
export class Attackers {
  private constructor(private readonly worker: Worker) {}

  static async on(product: Product): Promise<Attackers> {
    const file = new URL('./attackers.worker.js', import.meta.url);
    const attackers = new Attackers(new Worker(file, { workerData: product }));
    await attackers.reported();
    return attackers;
  }

  /** Resolves when it has ended. @throws Error when it could not be made */
  async attack(order: AttackOrder): Promise<void> {
    const reported = this.reported();
    this.worker.postMessage(order);
    await reported;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private async reported(): Promise<void> {
    const [{ failed }] = (await once(this.worker, 'message')) as [AttackReport];
    if (failed !== null) throw new Error(failed);
  }
}
