import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { FairQueue } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';
import { Piscina } from 'piscina';
import { threadFile } from '@postroom/service/threads';
import type { JudgeAnswer, JudgeTask } from './judge.worker.js';

/** Of one task, the wait for others included; a megabyte under the usual rules is a tenth of a second. */
const timeLimitMs = 8_000;
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
  readonly #queue = new FairQueue({
    capacity: 1,
    waitingMax,
    waitingMaxPerKey: waitingMaxPerTenant,
  });
  #startedPool: Piscina<JudgeTask, JudgeAnswer> | undefined;

  /** Started by the first task: a workspace without rules needs none. */
  get #pool(): Piscina<JudgeTask, JudgeAnswer> {
    return (this.#startedPool ??= startThread());
  }

  /** @throws Problem SERVICE_UNAVAILABLE when it takes too long, too many wait, or the thread is lost */
  async run(tenantId: string, task: JudgeTask): Promise<JudgeAnswer> {
    const signal = AbortSignal.timeout(timeLimitMs);
    try {
      const judge = (): Promise<JudgeAnswer> => this.#pool.run(task, { signal });
      return await this.#queue.run(judge, { key: tenantId, signal });
    } catch (cause) {
      throw new Problem('SERVICE_UNAVAILABLE', { cause });
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.#startedPool?.close();
  }
}

function startThread(): Piscina<JudgeTask, JudgeAnswer> {
  const thread = { ...threadFile(import.meta.url, 'judge.worker'), resourceLimits };
  const pool = new Piscina<JudgeTask, JudgeAnswer>({ ...thread, minThreads: 1, maxThreads: 1 });
  // The task that it ran is rejected; an unheard 'error' would end the process.
  pool.on('error', () => undefined);
  return pool;
}
