import { MessageChannel } from 'node:worker_threads';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { FairQueue } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';
import { Piscina } from 'piscina';
import { threadFile } from '@postroom/service/threads';
import type { JudgeAnswer, JudgeTask, StartedTask } from './judge.worker.js';

/**
 * Once it has begun; a megabyte under the usual rules is a tenth of a second. Far below the limit of the
 * wait, so that one whose expressions take long does not use up the time of who comes next.
 */
const runLimitMs = { message: 8_000, trial: 2_000 };
/** Tasks that wait for the thread; more than that would not be judged in time anyway. */
const waitingMax = 1_000;
const waitingMaxPerTenant = 500;
/** A last resort: what an expression may cost is bounded (see `Expression`). */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/**
 * Where texts are judged, so that nobody waits for a megabyte under expressions of an administrator's
 * making; workspaces take turns. The thread ends when a task takes too long, and the next task starts
 * another one.
 */
@Injectable()
export class JudgingThread implements OnModuleDestroy {
  /** Of one task, the wait for others included: within what the request has. */
  protected readonly timeLimitMs = { message: 25_000, trial: 8_000 };
  readonly #queue = new FairQueue({
    capacity: 1,
    waitingMax,
    waitingMaxPerKey: waitingMaxPerTenant,
  });
  #startedPool: Piscina<StartedTask, JudgeAnswer> | undefined;

  /** Started by the first task: a workspace without rules needs none. */
  get #pool(): Piscina<StartedTask, JudgeAnswer> {
    return (this.#startedPool ??= startThread());
  }

  /** @throws Problem SERVICE_UNAVAILABLE when it takes too long, too many wait, or the thread is lost */
  async run(tenantId: string, task: JudgeTask): Promise<JudgeAnswer> {
    const deadline = AbortSignal.timeout(this.timeLimitMs[kindOf(task)]);
    try {
      const judge = (): Promise<JudgeAnswer> => this.#judged(task, deadline);
      return await this.#queue.run(judge, { key: tenantId, signal: deadline });
    } catch (cause) {
      throw new Problem('SERVICE_UNAVAILABLE', { cause });
    }
  }

  async #judged(task: JudgeTask, deadline: AbortSignal): Promise<JudgeAnswer> {
    const limitMs = runLimitMs[kindOf(task)];
    const { port1, port2 } = new MessageChannel();
    const tooLong = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    port1.once('message', () => {
      timer = setTimeout(() => tooLong.abort(), limitMs);
    });
    const signal = AbortSignal.any([deadline, tooLong.signal]);
    try {
      return await this.#pool.run({ task, started: port2 }, { transferList: [port2], signal });
    } finally {
      clearTimeout(timer);
      port1.close();
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.#startedPool?.close();
  }
}

const kindOf = (task: JudgeTask): 'message' | 'trial' => ('text' in task ? 'trial' : 'message');

function startThread(): Piscina<StartedTask, JudgeAnswer> {
  const thread = { ...threadFile(import.meta.url, 'judge.worker'), resourceLimits };
  const pool = new Piscina<StartedTask, JudgeAnswer>({ ...thread, minThreads: 1, maxThreads: 1 });
  // The task that it ran is rejected; an unheard 'error' would end the process.
  pool.on('error', () => undefined);
  return pool;
}
