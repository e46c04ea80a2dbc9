import type { KeyCaller } from '@postroom/access';
import {
  keyRefusals,
  me,
  Problem,
  ruleOf,
  type ListMyRefusals,
  type ProblemCode,
  type RefusalPage,
} from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { instant, PageTokens, statement } from '@postroom/persistence';
import { GatewayConfig } from '../config.js';
import { KeyEntity } from './entities.js';
import { pendingApprovalsMax } from './approvals/approval-queue.js';

interface RefusedRow {
  readonly id: string;
  readonly at: string;
  readonly operation: string;
  readonly status: number;
  readonly code: ProblemCode;
  /** The code of the answer, where it was another. */
  readonly answered: ProblemCode | null;
  readonly requestId: string;
}

const list = statement<RefusedRow>(
  'access.list_refused_writes',
  `SELECT id, ${instant('r.at')} AS at, operation, status, code, answered,
     request_id AS "requestId"
   FROM list_refused_writes($1, $2, $3, $4) r`,
);

/** The operations by which a key finds out about itself. */
export const MeHandlers = handlers(me, [GatewayConfig, PageTokens], (config, tokens) => ({
  get: (context) => {
    const { keyId: id, name, kind, approval, scopes, grants, member, admin } = keyOf(context);
    return Promise.resolve({
      ...{ id, name, kind, approval, admin },
      scopes: [...scopes],
      mailboxes: Object.entries(grants).map(([address, access]) => ({ address, access })),
      member: member?.email ?? null,
      limits: {
        requestsPerMinute: config.rateLimitPerMinute,
        sendsPerMinute: config.sendRateLimitPerMinute,
        pendingApprovals: pendingApprovalsMax,
      },
    });
  },

  refusals: (context, input) => pageOfRefusals(context, tokens, keyOf(context).keyId, input),
}));

/** The same of any key, for administrators. */
export const KeyRefusalsHandlers = handlers(keyRefusals, [PageTokens], (tokens) => ({
  list: async (context, { id, ...input }) => {
    if (!(await context.entities((manager) => manager.existsBy(KeyEntity, { id }))))
      throw new Problem('KEY_NOT_FOUND');
    return pageOfRefusals(context, tokens, id, input);
  },
}));

async function pageOfRefusals(
  { rows: read, tenantId }: Reading,
  tokens: PageTokens,
  keyId: string,
  { limit, pageToken }: ListMyRefusals,
): Promise<RefusalPage> {
  const query = ['me.refusals', tenantId, keyId];
  const [before = null] = tokens.read(query, pageToken);
  const found = await read(list, [keyId, before, limit + 1]);
  const { rows, nextPageToken } = tokens.pageOf(query, found, limit, ({ id }) => [id]);
  return {
    refusals: rows.map(({ id: _, answered, ...refusal }) => ({
      ...refusal,
      code: answered ?? refusal.code,
      rule: ruleOf(refusal.code),
    })),
    nextPageToken,
  };
}

function keyOf({ caller }: Reading): KeyCaller {
  if (caller.type !== 'key') throw new Problem('UNAUTHENTICATED');
  return caller;
}
