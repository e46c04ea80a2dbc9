import { Injectable } from '@nestjs/common';
import { mailQuotas, type MailQuotas, type Quotas } from '@postroom/contracts';
import { OperationClient, requireRoom, usedOf, type Reading } from '@postroom/operations';
import { GatewayConfig } from '../config.js';
import { problemOf } from '../problems/index.js';

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

  /** @throws Problem SERVICE_UNAVAILABLE when the mail service does not answer */
  async read(context: Reading): Promise<Quotas> {
    const { quotaKeys, quotaMembers } = this.config;
    const [ofMail, keys, members] = await Promise.all([
      this.ofMail(context),
      usedOf(context, 'keys'),
      usedOf(context, 'members'),
    ]);
    return {
      keys: { limit: quotaKeys, used: keys },
      members: { limit: quotaMembers, used: members },
      ...ofMail,
    };
  }

  private async ofMail({ caller, requestId }: Reading): Promise<MailQuotas> {
    const answer = await this.operations.call(mailQuotas.read, caller, {}, { requestId });
    if (answer.problem !== null) throw problemOf(answer);
    return JSON.parse(answer.body.toString()) as MailQuotas;
  }
}
