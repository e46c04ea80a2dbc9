import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { FairThread } from '@postroom/service';
import { threadFile } from '@postroom/service/threads';
import type { JudgeAnswer, JudgeTask } from './judge.worker.js';

/** Once it has begun; a megabyte under the usual rules is a tenth of a second. */
const runLimitMs = { message: 8_000, trial: 2_000 };

/**
 * Where texts are judged, so that nobody waits for a megabyte under expressions of an administrator's
 * making; workspaces take turns.
 */
@Injectable()
export class JudgingThread implements OnModuleDestroy {
  /** Of one task, the wait for others included: within what the request has. */
  protected readonly timeLimitMs = { message: 25_000, trial: 8_000 };
  readonly #thread = new FairThread<JudgeTask, JudgeAnswer>({
    file: threadFile(import.meta.url, 'judge.worker'),
    // More would not be judged in time anyway.
    waitingMax: 1_000,
    waitingMaxPerTenant: 500,
    // A last resort: what an expression may cost is bounded (see `Expression`).
    memoryMaxMb: 256,
  });

  /** @throws Problem SERVICE_UNAVAILABLE when it takes too long, too many wait, or the thread is lost */
  async run(tenantId: string, task: JudgeTask): Promise<JudgeAnswer> {
    const kind = 'text' in task ? 'trial' : 'message';
    const limits = { wholeMs: this.timeLimitMs[kind], runMs: runLimitMs[kind] };
    try {
      return await this.#thread.run(tenantId, task, limits);
    } catch (cause) {
      throw new Problem('SERVICE_UNAVAILABLE', { cause });
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.#thread.close();
  }
}
