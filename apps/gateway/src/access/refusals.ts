import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import {
  codedRefusal,
  newId,
  systemActor,
  type Operation,
  type Problem,
  type ProblemCode,
} from '@postroom/contracts';
import { UnitOfWork } from '@postroom/operations';
import { SlidingWindow } from '@postroom/limits';
import { statement } from '@postroom/persistence';
import type { Recognised } from './authentication/authorizations.js';

const insert = statement<object>(
  'access.insert_refused_write',
  `INSERT INTO refused_writes (tenant_id, key_id, id, at, operation, status, code, answered,
     request_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

/** A request that was answered with a problem. */
export interface Answered {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly problem: Problem;
  readonly requestId: string;
}

/** Keeps the refused writes of keys, for `/v1/me/refusals`: after the answer, and never instead of it. */
@Injectable()
export class RefusedWrites {
  constructor(private readonly work: UnitOfWork) {}

  async record(request: Answered): Promise<void> {
    const { operation, caller, problem, requestId } = request;
    const { code, status } = problem;
    // The rate limit is no rule of the key's, and a key at its limit would fill the table.
    const isRefusal = status < 500 && code !== 'RATE_LIMITED' && operation.effect !== 'read';
    if (caller.type !== 'key' || !isRefusal) return;
    const { tenantId, keyId, source } = caller;
    const origin = { tenantId, actor: systemActor, source } as const;
    await this.work.change(origin, null, async ({ rows, at }) => {
      const what = [operation.id, status, code, answeredCode(request), requestId];
      await rows(insert, [keyId, newId('ref'), at, ...what]);
      return { value: undefined };
    });
  }
}

/** The code of the answer, where it was another than the problem's: MCP answers that of the problem. */
function answeredCode({ operation, caller, problem }: Answered): ProblemCode | null {
  return caller.source === 'mcp' ? null : (codedRefusal(operation, problem)?.error ?? null);
}

const actions = ['key.refused', 'key.rateLimited'] as const;

const recentRefusals = statement<{ recent: number }>(
  'access.recent_refusals',
  'SELECT recent_refusals($1, $2, $3) AS recent',
);

/** Audit entries of refusals per minute and key (`decisions.md` §3). */
const auditedPerMinute = 10;

/** Audits refusals of keys in their workspace (public-api.md §5.11), a few times a minute at most. */
@Injectable()
export class RefusalAudit {
  private readonly audited = new SlidingWindow();

  constructor(private readonly work: UnitOfWork) {}

  async record(
    { tenantId, keyId }: Recognised,
    action: (typeof actions)[number],
    requestId: string,
  ): Promise<void> {
    if (!this.mayAudit(keyId)) return;
    const origin = { tenantId, actor: { type: 'key', id: keyId }, source: 'api' } as const;
    const audit = { action, subjectId: keyId, requestId };
    await this.work.change(origin, null, async ({ rows }) => {
      const [found] = await rows(recentRefusals, [keyId, actions]);
      const isRoom = found !== undefined && found.recent < auditedPerMinute;
      return { value: undefined, ...(isRoom && { audit }) };
    });
  }

  /** A limit in memory, so that a key that is refused all the time does not load the database. */
  private mayAudit(keyId: string): boolean {
    return this.audited.take(keyId, auditedPerMinute, 60_000, performance.now()).allowed;
  }
}
