import { Injectable } from '@nestjs/common';
import { builtIns, Problem, serviceNames, services, type AuditBacklog } from '@postroom/contracts';
import { OperationClient, type Reading } from '@postroom/operations';

/** The services that hand their audit records over: each knows what it has not handed over yet. */
const forwarding = serviceNames
  .filter((name) => services[name].forwardsAudit)
  .map((name) => builtIns[name].auditBacklog);

/** Audit records that are still with the services they were made in. */
@Injectable()
export class AuditBacklogs {
  constructor(private readonly operations: OperationClient) {}

  /** @throws Problem SERVICE_UNAVAILABLE when one of them does not answer */
  async count({ caller, requestId }: Reading): Promise<number> {
    const counts = await Promise.all(
      forwarding.map(async (operation) => {
        const answer = await this.operations.call(operation, caller, {}, { requestId });
        if (answer.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
        return (JSON.parse(answer.body.toString()) as AuditBacklog).waiting;
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
