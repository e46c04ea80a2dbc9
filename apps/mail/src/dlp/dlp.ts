import { Injectable } from '@nestjs/common';
import type { DlpTrial } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { judgementOf, type JudgedMessage, type Judgement } from './judgement.js';
import { JudgingThread } from './judging-thread.js';
import { listRules, rulesFor } from './stored-rules.js';

type Context = Pick<Reading, 'rows' | 'tenantId'>;

/** Data-loss prevention for messages that are sent. */
@Injectable()
export class Dlp {
  constructor(private readonly thread: JudgingThread) {}

  /**
   * Judges a message by the rules of its mailbox: one query, and no other cost where there are none.
   * It must be called with no transaction open.
   *
   * @throws Problem SERVICE_UNAVAILABLE when it cannot be judged in bounded time: it must not leave
   */
  async judge(context: Context, message: JudgedMessage): Promise<Judgement> {
    const rules = await rulesFor(context, message.mailbox);
    if (rules.length === 0) return judgementOf([]);
    return judgementOf((await this.thread.run(context.tenantId, { rules, message })).hits);
  }

  /**
   * What all rules of the workspace, disabled ones too, find in a text.
   * @throws Problem SERVICE_UNAVAILABLE when that takes too long
   */
  async trial(context: Context, text: string): Promise<DlpTrial[]> {
    const rules = await listRules(context);
    return (await this.thread.run(context.tenantId, { rules, text })).trials;
  }
}
