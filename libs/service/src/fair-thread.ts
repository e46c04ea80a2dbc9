import { MessageChannel } from 'node:worker_threads';
import { InFlight, withTimeout } from '@postroom/concurrency';
import { Budget, type Declared } from '@postroom/limits';
import { Piscina } from 'piscina';
import { hasWorked, type StartedTask, type ThreadFile } from './threads.js';

export interface FairThreadOptions {
  readonly file: ThreadFile;
  /** Allows one task at a time; others wait. */
  readonly limit: Declared<'workspace'>;
  readonly memoryMaxMb: number;
  /** For objects that have just been made; a small one collects garbage outside the heap sooner. */
  readonly youngMemoryMb?: number;
  /** Settings of the thread, its `workerData`. */
  readonly workerData?: unknown;
}

/** The time limits of a task. */
export interface TaskLimits {
  /** The caller's limit, including the wait for other tasks. A task that runs then is not ended by it. */
  readonly wholeMs: number;
  /** CPU time at which a task is ended with its thread: far below `wholeMs`, since others wait meanwhile. */
  readonly runMs: number;
}

/**
 * A thread for work whose cost depends on a workspace's data: workspaces take turns, and requests do not wait.
 * It ends when a task takes too long or too much memory, and the next task starts another one. Its file exports
 * the result of `taskOfThread`.
 */
export class FairThread<T extends object, A> {
  readonly #queue: Budget<'workspace'>;
  readonly #calls = new InFlight();
  #startedPool: Piscina<StartedTask<T>, A> | undefined;

  constructor(private readonly options: FairThreadOptions) {
    this.#queue = new Budget(options.limit);
  }

  /** @throws Error when it takes too long, too many wait, or the thread is lost */
  run(tenantId: string, task: T, { wholeMs, runMs }: TaskLimits): Promise<A> {
    const inTurn = (): Promise<A> => this.#runInThread(task, runMs);
    const answer = this.#queue.runInTurn({ workspace: tenantId }, inTurn, { waitMaxMs: wholeMs });
    const late = (): never => {
      throw new Error('the task took too long');
    };
    return this.#calls.track(() => withTimeout(answer, wholeMs, late));
  }

  async #runInThread(task: T, runMs: number): Promise<A> {
    const { port1, port2 } = new MessageChannel();
    const tooLong = new AbortController();
    const end = new AbortController();
    port1.once('message', (since: NodeJS.CpuUsage) => {
      const [thread] = this.#pool.threads;
      if (!thread) return;
      // Rejected when the task has ended, or the thread.
      hasWorked(thread, since, runMs, end.signal).then(
        () => tooLong.abort(),
        () => undefined,
      );
    });
    const options = { transferList: [port2], signal: tooLong.signal };
    try {
      return await this.#pool.run({ task, started: port2 }, options);
    } finally {
      end.abort();
      port1.close();
    }
  }

  /** Started by the first task. */
  get #pool(): Piscina<StartedTask<T>, A> {
    return (this.#startedPool ??= this.#start());
  }

  #start(): Piscina<StartedTask<T>, A> {
    const { file, memoryMaxMb, youngMemoryMb = 32, workerData } = this.options;
    const resourceLimits = {
      maxOldGenerationSizeMb: memoryMaxMb,
      maxYoungGenerationSizeMb: youngMemoryMb,
    };
    const threads = { minThreads: 1, maxThreads: 1, workerData };
    // oxlint-disable-next-line postroom/owned-limits -- tasks come one at a time, in turns of the budget
    const pool = new Piscina<StartedTask<T>, A>({ ...file, resourceLimits, ...threads });
    // The task that it ran is rejected; an unheard 'error' would end the process.
    pool.on('error', () => undefined);
    return pool;
  }

  /** Waits for the callers, not for tasks without one. */
  async close(): Promise<void> {
    await this.#calls.none();
    await this.#startedPool?.destroy();
  }
}
