import { Injectable } from '@nestjs/common';
import {
  builtIns,
  Problem,
  storingServiceNames,
  type Quota,
  type Quotas,
  type ServiceName,
  type ServiceQuotas,
} from '@postroom/contracts';
import { OperationClient, requireRoom, type QuotaLimits, type Reading } from '@postroom/operations';
import { GatewayConfig } from '../config.js';
import { problemOf } from '../problems.js';

/** Sums over a workspace's rows that triggers keep; a busy machine needs a moment. */
const countsWithinMs = 3_000;

/** Limits on the gateway's own records of a workspace. */
export const quotasOf = ({ quotaKeys, quotaMembers }: GatewayConfig): QuotaLimits => ({
  keys: quotaKeys,
  members: quotaMembers,
});

type Rows = Pick<Reading, 'rows'>;

/** Quotas of a workspace (`decisions.md` §11). */
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

  /** Null when a service that counts does not answer: the settings of a workspace do not need it. */
  async read(context: Reading): Promise<Quotas | null> {
    const quotas: Partial<Record<keyof Quotas, Quota>> = {};
    for (const answer of await Promise.all(
      storingServiceNames.map((name) => this.ask(context, name)),
    )) {
      if (answer === null) return null;
      for (const { name, limit, used } of answer.quotas)
        quotas[name] = { limit, used: used + (quotas[name]?.used ?? 0) };
    }
    return quotas as Quotas;
  }

  private async ask(
    { caller, requestId }: Reading,
    service: ServiceName,
  ): Promise<ServiceQuotas | null> {
    const options = { requestId, timeoutMs: countsWithinMs };
    const answer = await this.operations
      .call(builtIns[service].quotas, caller, {}, options)
      .catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'SERVICE_UNAVAILABLE') return null;
        throw error;
      });
    if (answer === null || answer.problem === 'SERVICE_UNAVAILABLE') return null;
    if (answer.problem !== null) throw problemOf(answer);
    return JSON.parse(answer.body.toString()) as ServiceQuotas;
  }
}
