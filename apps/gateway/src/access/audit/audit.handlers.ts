import { Injectable } from '@nestjs/common';
import {
  audit,
  builtIns,
  Problem,
  serviceNames,
  services,
  type AuditBacklog,
  type AuditEntry,
  type ListAudit,
} from '@postroom/contracts';
import { Budget, Pieces } from '@postroom/limits';
import { handlers, OperationClient, type Reading } from '@postroom/operations';
import { PageTokens, statement } from '@postroom/persistence';
import { limits } from '../../limits.js';
import { AuditChain } from './audit-chain.js';
import { entryColumns, headOf, type EntryRow } from './audit-rows.js';
import { readChain, waitingHere, verifyChain } from './verify-audit.js';

const auditNames = statement<{ id: string; name: string }>(
  'access.audit_names',
  'SELECT id, name FROM audit_names($1, $2)',
);

/** Entries as settings and exports show them: with the names of whom this service knows, as they are now. */
async function auditEntryViews(
  { rows }: Pick<Reading, 'rows'>,
  entries: readonly EntryRow[],
): Promise<AuditEntry[]> {
  const ids = entries.flatMap((row) => [row.actor_id, row.subject_id, row.approved_by]);
  const found = await rows(auditNames, [[...new Set(ids)]]);
  const names = new Map<string | null, string>(found.map(({ id, name }) => [id, name]));
  const nameOf = (id: string | null): string | null => names.get(id) ?? null;
  return entries.map((row) => ({
    id: row.id,
    at: row.at.toISOString(),
    actor: { type: row.actor_type, id: row.actor_id, name: nameOf(row.actor_id) },
    source: row.source,
    action: row.action,
    subjectId: row.subject_id,
    subjectName: nameOf(row.subject_id),
    requestId: row.request_id,
    approvedBy: row.approved_by,
    approvedByName: nameOf(row.approved_by),
    durationMs: row.duration_ms,
    position: row.position,
    hash: row.hash.toString('hex'),
  }));
}

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

/** Steps of verifications, one at a time of a workspace. */
@Injectable()
export class AuditChecks extends Budget<'workspace'> {
  constructor() {
    super(limits.auditChecks);
  }
}

const auditPage = statement<EntryRow>(
  'access.audit_page',
  `SELECT ${entryColumns('e')} FROM audit_page($1, $2, $3, $4, $5, $6, $7, $8, $9) e`,
);

const filterNames = ['actor', 'action', 'subject', 'from', 'to'] as const;

type Filters = Pick<ListAudit, (typeof filterNames)[number]>;

const isChosen = ({ actor, action, subject, from, to }: Filters, row: EntryRow): boolean =>
  (actor === undefined || row.actor_id === actor) &&
  (action === undefined || row.action === action) &&
  (subject === undefined || row.subject_id === subject) &&
  (from === undefined || row.at.getTime() >= Date.parse(from)) &&
  (to === undefined || row.at.getTime() < Date.parse(to));

/** Entries of one part of an export, which is about 200 KiB. */
const exportedMax = 500;

/** The audit of a workspace, for its administrators. */
export const AuditHandlers = handlers(
  audit,
  [AuditChain, PageTokens, AuditBacklogs, Pieces, AuditChecks],
  (chain, tokens, backlogs, pieces, checks) => ({
    list: async (context, { limit, pageToken, ...given }) => {
      const { rows, tenantId } = context;
      const filters = filterNames.map((name) => given[name] ?? null);
      const query = ['audit.list', tenantId, ...filters];
      const [at = null, id = null] = tokens.read(query, pageToken);
      const found = await rows(auditPage, [...filters, at, id, limit + 1]);
      const page = tokens.pageOf(query, found, limit, (last) => [last.at.toISOString(), last.id]);
      const items = await auditEntryViews(context, page.rows);
      return { items, nextPageToken: page.nextPageToken };
    },

    export: async (context, { after, ...filters }) => {
      const { entries, state, last } = await readChain(context, after, exportedMax);
      const chosen = entries.filter((row) => isChosen(filters, row));
      const lines: object[] = await auditEntryViews(context, chosen);
      const isWhole = filterNames.every((name) => filters[name] === undefined);
      const head = last && isWhole ? headOf(state) : null;
      if (head) {
        const { length, lastHash, mac } = head;
        const shown = { length, lastHash: lastHash.toString('hex'), hash: mac.toString('hex') };
        lines.push({ head: shown });
      }
      return {
        lines: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
        after: last ? null : (entries.at(-1)?.position ?? null),
      };
    },

    verify: async (context, { after }) => {
      const workspace = context.tenantId;
      const verify = () => verifyChain(context, { chain, pieces, after });
      const waitMaxMs = context.deadlineMs - Date.now();
      const step = await checks.runInTurn({ workspace }, verify, { waitMaxMs });
      if (step.after !== null) return { ...step, unsealed: 0 };
      const [here, elsewhere] = await Promise.all([waitingHere(context), backlogs.count(context)]);
      return { ...step, unsealed: here + elsewhere };
    },
  }),
);
