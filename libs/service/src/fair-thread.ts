import { MessageChannel } from 'node:worker_threads';
import { FairQueue } from '@postroom/concurrency';
import { Piscina } from 'piscina';
import type { StartedTask, ThreadFile } from './threads.js';

export interface FairThreadOptions {
  readonly file: ThreadFile;
  /** Tasks of all workspaces that wait. */
  readonly waitingMax: number;
  readonly waitingMaxPerTenant: number;
  readonly memoryMaxMb: number;
}

/** How long a task may take. */
export interface TaskLimits {
  /** With the wait for others. */
  readonly wholeMs: number;
  /**
   * Once it has begun: far below the limit of the whole, so that one that takes long does not use up the time of
   * who comes next.
   */
  readonly runMs: number;
}

const youngGenerationMb = 32;

/**
 * A thread for what costs by what a workspace has given: workspaces take turns, and nobody else waits. It ends
 * when a task takes too long or too much memory, and the next task starts another one. The file that it runs
 * answers what `taskOfThread` makes.
 */
export class FairThread<T extends object, A> {
  readonly #queue: FairQueue;
  #startedPool: Piscina<StartedTask<T>, A> | undefined;

  constructor(private readonly options: FairThreadOptions) {
    const { waitingMax, waitingMaxPerTenant: waitingMaxPerKey } = options;
    this.#queue = new FairQueue({ capacity: 1, waitingMax, waitingMaxPerKey });
  }

  /** @throws Error when it takes too long, too many wait, or the thread is lost */
  async run(tenantId: string, task: T, { wholeMs, runMs }: TaskLimits): Promise<A> {
    const deadline = AbortSignal.timeout(wholeMs);
    const begun = (): Promise<A> => this.#begun(task, runMs, deadline);
    return this.#queue.run(begun, { key: tenantId, signal: deadline });
  }

  async #begun(task: T, runMs: number, deadline: AbortSignal): Promise<A> {
    const { port1, port2 } = new MessageChannel();
    const tooLong = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    port1.once('message', () => {
      timer = setTimeout(() => tooLong.abort(), runMs);
    });
    const signal = AbortSignal.any([deadline, tooLong.signal]);
    try {
      return await this.#pool.run({ task, started: port2 }, { transferList: [port2], signal });
    } finally {
      clearTimeout(timer);
      port1.close();
    }
  }

  /** Started by the first task. */
  get #pool(): Piscina<StartedTask<T>, A> {
    return (this.#startedPool ??= this.#start());
  }

  #start(): Piscina<StartedTask<T>, A> {
    const { file, memoryMaxMb } = this.options;
    const resourceLimits = {
      maxOldGenerationSizeMb: memoryMaxMb,
      maxYoungGenerationSizeMb: youngGenerationMb,
    };
    const threads = { minThreads: 1, maxThreads: 1 };
    const pool = new Piscina<StartedTask<T>, A>({ ...file, resourceLimits, ...threads });
    // The task that it ran is rejected; an unheard 'error' would end the process.
    pool.on('error', () => undefined);
    return pool;
  }

  async close(): Promise<void> {
    await this.#startedPool?.close();
  }
}
