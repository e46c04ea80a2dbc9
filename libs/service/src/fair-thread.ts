import { MessageChannel } from 'node:worker_threads';
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
  /** Including the wait for other tasks. */
  readonly wholeMs: number;
  /**
   * CPU time of the thread, and half of what a task may take by the clock: far below `wholeMs`, so that a slow task
   * does not use up the time of the next one.
   */
  readonly runMs: number;
}

/**
 * A thread for work whose cost depends on a workspace's data: workspaces take turns, and requests do not wait.
 * It ends when a task takes too long or too much memory, and the next task starts another one. Its file exports
 * the result of `taskOfThread`.
 */
export class FairThread<T extends object, A> {
  readonly #queue: Budget<'workspace'>;
  #startedPool: Piscina<StartedTask<T>, A> | undefined;

  constructor(private readonly options: FairThreadOptions) {
    this.#queue = new Budget(options.limit);
  }

  /** @throws Error when it takes too long, too many wait, or the thread is lost */
  async run(tenantId: string, task: T, { wholeMs, runMs }: TaskLimits): Promise<A> {
    const deadline = AbortSignal.timeout(wholeMs);
    const inTurn = (): Promise<A> => this.#runInThread(task, runMs, deadline);
    return this.#queue.run({ workspace: tenantId }, inTurn, { signal: deadline });
  }

  async #runInThread(task: T, runMs: number, deadline: AbortSignal): Promise<A> {
    const { port1, port2 } = new MessageChannel();
    const tooLong = new AbortController();
    const end = new AbortController();
    port1.once('message', (since: NodeJS.CpuUsage) => {
      const [thread] = this.#pool.threads;
      if (!thread) return;
      const limits = { limitMs: runMs, waitMaxMs: 2 * runMs, signal: end.signal };
      // Rejected when the task has ended, or the thread.
      hasWorked(thread, since, limits).then(
        () => tooLong.abort(),
        () => undefined,
      );
    });
    const signal = AbortSignal.any([deadline, tooLong.signal]);
    try {
      return await this.#pool.run({ task, started: port2 }, { transferList: [port2], signal });
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

  async close(): Promise<void> {
    await this.#startedPool?.close();
  }
}
