import { Injectable } from '@nestjs/common';
import type { MemberCaller } from '@postroom/access';
import { Problem, sendPermissions, type SendPermission } from '@postroom/contracts';
import { OperationClient } from '@postroom/operations';

/** A slow gateway is asked again in the next round. */
const timeoutMs = 5_000;

/** Asks the gateway whether a member who is not there may still send. */
@Injectable()
export class SendPermissions {
  constructor(private readonly operations: OperationClient) {}

  /**
   * The member as the caller of a send.
   * @throws Problem MEMBER_REMOVED, SEND_SWITCH_CLOSED, SERVICE_UNAVAILABLE
   */
  async callerOf(tenantId: string, memberId: string, requestId: string): Promise<MemberCaller> {
    const asking: MemberCaller = {
      ...{ type: 'member', tenantId, source: 'app', memberId, email: '', name: '' },
      ...{ role: 'member', canApprove: false, sessionId: null },
    };
    const options = { requestId, timeoutMs };
    const reply = await this.operations.call(sendPermissions.get, asking, { memberId }, options);
    if (reply.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
    const { sendOpen, member } = JSON.parse(reply.body.toString()) as SendPermission;
    if (!member) throw new Problem('MEMBER_REMOVED');
    if (!sendOpen) throw new Problem('SEND_SWITCH_CLOSED');
    return { ...asking, ...member };
  }
}
