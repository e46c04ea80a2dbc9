import { Injectable } from '@nestjs/common';
import { actorOf, type Caller } from '@postroom/access';
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
import { rates } from '../limits.js';

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

/** Refusals that are audited, and how many of them a minute (`decisions.md` §3). */
const audits = {
  key: { actions: ['key.refused', 'key.rateLimited'], rate: rates.auditedRefusals },
  member: {
    actions: ['member.signInRefused', 'member.secondFactorRefused'],
    rate: rates.auditedSignIns,
  },
} as const;

/** The action of a refusal. */
type Action = (typeof audits)[keyof typeof audits]['actions'][number];

/** The key that was refused, or the member in whose name a sign-in was. */
export interface RefusedActor {
  readonly type: keyof typeof audits;
  readonly tenantId: string;
  readonly id: string;
}

const recentRefusals = statement<{ recent: number }>(
  'access.recent_refusals',
  'SELECT recent_refusals($1, $2, $3) AS recent',
);

/** Audits refusals in the workspace of their key or member (public-api.md §5.11), a few times a minute at most. */
@Injectable()
export class RefusalAudit {
  private readonly audited = {
    key: new SlidingWindow(rates.auditedRefusals),
    member: new SlidingWindow(rates.auditedSignIns),
  };

  constructor(private readonly work: UnitOfWork) {}

  async record(
    { type, tenantId, id }: RefusedActor,
    action: Action,
    requestId: string,
  ): Promise<void> {
    const { actions, rate } = audits[type];
    // A limit in memory, so that one that is refused all the time does not load the database.
    if (!this.audited[type].take(id).allowed) return;
    const source = type === 'key' ? 'api' : 'app';
    const origin = { tenantId, actor: { type, id }, source } as const;
    const audit = { action, subjectId: id, requestId };
    await this.work.change(origin, null, async ({ rows }) => {
      const [found] = await rows(recentRefusals, [id, actions]);
      const isRoom = found !== undefined && found.recent < rate.perMinute;
      return { value: undefined, ...(isRoom && { audit }) };
    });
  }
}

/** Audits exports: one record each, committed before anything of it is sent. */
@Injectable()
export class ExportAudit {
  constructor(private readonly work: UnitOfWork) {}

  async record(
    { audit: action }: Operation,
    caller: Caller,
    input: object,
    requestId: string,
  ): Promise<void> {
    if (action === null) return;
    const { tenantId, source } = caller;
    const subjectId = 'id' in input && typeof input.id === 'string' ? input.id : null;
    const audit = { action, subjectId, requestId };
    await this.work.change({ tenantId, actor: actorOf(caller), source }, null, () =>
      Promise.resolve({ value: undefined, audit }),
    );
  }
}
