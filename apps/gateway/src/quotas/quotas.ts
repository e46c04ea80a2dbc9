import { Injectable } from '@nestjs/common';
import { mailQuotas, Problem, type MailQuotas, type Quotas } from '@postroom/contracts';
import { OperationClient, requireRoom, usedOf, type Reading } from '@postroom/operations';
import { GatewayConfig } from '../config.js';
import { problemOf } from '../problems/index.js';

/** Sums over a workspace's rows that triggers keep; a busy machine needs a moment. */
const countsWithinMs = 3_000;

type Rows = Pick<Reading, 'rows'>;

/** How much a workspace may have (`decisions.md` §11). */
@Injectable()
export class WorkspaceQuotas {
  constructor(
    private readonly config: GatewayConfig,
    private readonly operations: OperationClient,
  ) {}

  /** @throws Problem QUOTA_EXCEEDED */
  requireRoomForKey(context: Rows): Promise<void> {
    return requireRoom(context, 'keys', this.config.quotaKeys);
  }

  /** @throws Problem QUOTA_EXCEEDED */
  requireRoomForMember(context: Rows): Promise<void> {
    return requireRoom(context, 'members', this.config.quotaMembers);
  }

  /** Null when the mail service does not answer: the settings of a workspace do not need it. */
  async read(context: Reading): Promise<Quotas | null> {
    const { quotaKeys, quotaMembers } = this.config;
    const [ofMail, keys, members] = await Promise.all([
      this.ofMail(context),
      usedOf(context, 'keys'),
      usedOf(context, 'members'),
    ]);
    return (
      ofMail && {
        keys: { limit: quotaKeys, used: keys },
        members: { limit: quotaMembers, used: members },
        ...ofMail,
      }
    );
  }

  private async ofMail({ caller, requestId }: Reading): Promise<MailQuotas | null> {
    const options = { requestId, timeoutMs: countsWithinMs };
    const answer = await this.operations
      .call(mailQuotas.read, caller, {}, options)
      .catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'SERVICE_UNAVAILABLE') return null;
        throw error;
      });
    if (answer === null || answer.problem === 'SERVICE_UNAVAILABLE') return null;
    if (answer.problem !== null) throw problemOf(answer);
    return JSON.parse(answer.body.toString()) as MailQuotas;
  }
}
