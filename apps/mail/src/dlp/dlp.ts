import { Injectable } from '@nestjs/common';
import type { DlpTrial } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { judgementOf, type JudgedMessage, type Judgement } from './judgement.js';
import { JudgingThread } from './judging-thread.js';
import { listRules, rulesFor } from './kept-rules.js';

type Context = Pick<Reading, 'rows' | 'tenantId'>;

/** Data-loss prevention, as the sending of a message asks it. */
@Injectable()
export class Dlp {
  constructor(private readonly thread: JudgingThread) {}

  /**
   * What the rules of the mailbox say of a message: one query, and no other cost where there are none.
   * To be asked with no transaction open.
   *
   * @throws Problem SERVICE_UNAVAILABLE when it cannot be judged in bounded time: it must not leave
   */
  async judge(context: Context, message: JudgedMessage): Promise<Judgement> {
    const rules = await rulesFor(context, message.mailbox);
    if (rules.length === 0) return judgementOf([]);
    return judgementOf((await this.thread.run(context.tenantId, { rules, message })).hits);
  }

  /**
   * What all rules of the workspace, those that are off too, find in a text.
   * @throws Problem SERVICE_UNAVAILABLE when that takes too long
   */
  async trial(context: Context, text: string): Promise<DlpTrial[]> {
    const rules = await listRules(context);
    return (await this.thread.run(context.tenantId, { rules, text })).trials;
  }
}
