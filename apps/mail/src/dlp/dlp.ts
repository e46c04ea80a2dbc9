import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Problem, type DlpTrial } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { FairThread } from '@postroom/service';
import { threadFile } from '@postroom/service/threads';
import { limits } from '../limits.js';
import { suppressionsOf } from '../stored-suppressions.js';
import type { JudgeAnswer, JudgeTask } from './judge.worker.js';
import {
  judgementOf,
  type Hit,
  type JudgedMessage,
  type Judgement,
  type WrittenMessage,
} from './judgement.js';
import { listRules, rulesFor } from './stored-rules.js';

/**
 * CPU time at which a turn is ended with its thread, milliseconds: one rule may take far longer than a turn begins others
 * (judge.worker.ts). A megabyte under the usual rules takes a tenth of a second.
 */
const runMs = { message: 8_000, trial: 2_000 };

/**
 * Judges texts in a worker thread, since an administrator's expressions over a megabyte would block
 * requests. Workspaces share it fairly: a task with many rules takes several turns.
 */
@Injectable()
export class JudgingThread implements OnModuleDestroy {
  /** Limit of one task, its turns and waits together, within the deadline of the request. */
  protected readonly timeLimitMs: number = 25_000;
  readonly #thread = new FairThread<JudgeTask, JudgeAnswer>({
    file: threadFile(import.meta.url, 'judge.worker'),
    limit: limits.judgements,
    // A last resort: what an expression may cost is bounded (see `Expression`).
    memoryMaxMb: 256,
  });

  /** @throws Problem SERVICE_UNAVAILABLE when it takes too long, too many wait, or the thread is lost */
  async judge(tenantId: string, task: JudgeTask): Promise<Omit<JudgeAnswer, 'judged'>> {
    const kind = 'text' in task ? 'trial' : 'message';
    const untilMs = Date.now() + this.timeLimitMs;
    const hits: Hit[] = [];
    const trials: DlpTrial[] = [];
    try {
      for (let { rules } = task; rules.length > 0;) {
        const limits = { wholeMs: untilMs - Date.now(), runMs: runMs[kind] };
        const turn = await this.#thread.run(tenantId, { ...task, rules } as JudgeTask, limits);
        hits.push(...turn.hits);
        trials.push(...turn.trials);
        rules = rules.slice(turn.judged);
      }
      return { hits, trials };
    } catch (cause) {
      throw new Problem('SERVICE_UNAVAILABLE', { cause });
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.#thread.close();
  }
}

type Context = Pick<Reading, 'rows' | 'tenantId'>;

/** Data-loss prevention for messages that are sent. */
@Injectable()
export class Dlp {
  constructor(private readonly thread: JudgingThread) {}

  /**
   * Judges a message by the rules of its mailbox and the suppressed addresses: two queries, and no other cost where
   * there are no rules.
   * It must be called with no transaction open.
   *
   * @throws Problem SERVICE_UNAVAILABLE when it cannot be judged in bounded time: it must not leave
   */
  async judge(context: Context, message: JudgedMessage | WrittenMessage): Promise<Judgement> {
    const addresses = message.recipients.map(({ email }) => email);
    const [rules, suppressed] = await Promise.all([
      rulesFor(context, message.mailbox),
      suppressionsOf(context, addresses),
    ]);
    if (rules.length === 0) return judgementOf([], suppressed);
    const { hits } = await this.thread.judge(context.tenantId, { rules, message });
    return judgementOf(hits, suppressed);
  }

  /**
   * Tries all rules of the workspace, disabled ones too, on a text.
   * @throws Problem SERVICE_UNAVAILABLE when that takes too long
   */
  async trial(context: Context, text: string): Promise<DlpTrial[]> {
    const rules = await listRules(context);
    return (await this.thread.judge(context.tenantId, { rules, text })).trials;
  }
}
