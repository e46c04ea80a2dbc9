import { Injectable } from '@nestjs/common';
import { actorOf } from '@postroom/access';
import type { SendReceipt } from '@postroom/contracts';
import { UnitOfWork, type Changing, type Sending } from '@postroom/operations';
import {
  Dlp,
  issueWarning,
  type JudgedMessage,
  type WarnedSend,
  type WrittenMessage,
} from '../dlp/index.js';
import { blockedProblem, warnedProblem } from './refusals.js';

/** Takes or holds the token that was given; false where it confirms nothing. */
export type Confirm = (changing: Changing, warned: WarnedSend) => Promise<boolean>;

/** Lets a message pass by the DLP rules: a warning is overridden by its token, a block never is. */
@Injectable()
export class Confirmation {
  constructor(
    private readonly dlp: Dlp,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * It must be called with no transaction open.
   * @param send the mailbox and the fingerprint that a warning is bound to
   * @throws Problem DLP_BLOCKED, or DLP_WARNING with a new token
   */
  async require(
    context: Sending,
    message: JudgedMessage | WrittenMessage,
    send: Pick<WarnedSend, 'mailboxId' | 'fingerprint'>,
    confirm: Confirm,
  ): Promise<SendReceipt['dlpStatus']> {
    const { caller, tenantId } = context;
    const judgement = await this.dlp.judge(context, message);
    if (judgement.verdict === 'ok') return 'ok';
    if (judgement.verdict === 'blocked') throw blockedProblem(caller, judgement);
    const warned = { caller, ...send, judgement };
    const origin = { tenantId, actor: actorOf(caller), source: caller.source };
    const newToken = await this.work.change(origin, null, async (changing) => ({
      value: (await confirm(changing, warned)) ? null : await issueWarning(changing, warned),
    }));
    if (newToken !== null) throw warnedProblem(newToken, caller, judgement);
    return 'warning_required';
  }
}
