import type { AuditVerdict } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { emptyChain, equal, type AuditChain, type AuditHead } from './audit-chain.js';
import { entryColumns, headOf, recordOf, type EntryRow, type HeadRow } from './audit-rows.js';

/** Entries in memory at a time; their HMACs hold the event loop for some milliseconds. */
const partMax = 1_000;

type Walked = HeadRow & { readonly [K in keyof EntryRow]: EntryRow[K] | null };

const walkAudit = statement<Walked>(
  'access.walk_audit',
  `SELECT ${entryColumns('(w.entry)')}, w.begun, w.length, w.last_hash, w.mac
   FROM walk_audit($1, $2, $3) w`,
);

const countWaiting = statement<{ waiting: number }>(
  'access.count_waiting_audit',
  'SELECT count_waiting_audit($1) AS waiting',
);

/** A part of a chain, and how the chain should end as of the same moment. */
export interface ChainPart {
  readonly entries: readonly EntryRow[];
  readonly state: HeadRow;
  /** Whether nothing follows. */
  readonly last: boolean;
}

/** The entries after a place in the chain, in its order. */
export async function readChain(
  { rows }: Pick<Reading, 'rows'>,
  after: number,
  limit = partMax,
): Promise<ChainPart> {
  const found = await rows(walkAudit, [after, limit]);
  const [state] = found;
  if (!state) throw new Error('a caller’s workspace is there');
  const entries = found.filter((row): row is HeadRow & EntryRow => row.position !== null);
  return { entries, state, last: entries.length < limit };
}

/**
 * Walks the whole chain. Each part is read together with the head, so that what is sealed meanwhile is
 * part of the walk, and an end that the head does not know is found.
 */
export async function verifyAudit(context: Reading, chain: AuditChain): Promise<AuditVerdict> {
  const { tenantId } = context;
  let walk: Walk = { ...emptyChain, sealedThrough: null, brokenId: null };
  let end: ChainPart;
  do {
    end = await readChain(context, walk.length);
    walk = follow(chain, tenantId, walk, end.entries);
  } while (!end.last && walk.brokenId === null);
  const [row] = await context.rows(countWaiting, []);
  return {
    ok: walk.brokenId === null && endsAt(chain, tenantId, walk, end.state),
    entries: walk.length,
    sealedThrough: walk.sealedThrough,
    unsealed: row?.waiting ?? 0,
    firstBrokenId: walk.brokenId,
  };
}

/** How far a walk has come, and what it stumbled over. */
interface Walk extends AuditHead {
  readonly sealedThrough: string | null;
  readonly brokenId: string | null;
}

/** Walks on as far as each entry follows from the one before. */
function follow(
  chain: AuditChain,
  tenantId: string,
  start: Walk,
  entries: readonly EntryRow[],
): Walk {
  let walk = start;
  for (const entry of entries) {
    const record = recordOf(entry);
    const lastHash = chain.link(tenantId, walk.lastHash, record);
    if (entry.position !== walk.length + 1 || !equal(lastHash, entry.hash)) {
      return { ...walk, brokenId: entry.id };
    }
    walk = { length: entry.position, lastHash, sealedThrough: record.at, brokenId: null };
  }
  return walk;
}

/** Whether the chain is as long as its head says, and the head is genuine; none is right at the start. */
function endsAt(chain: AuditChain, tenantId: string, walked: AuditHead, state: HeadRow): boolean {
  const head = headOf(state);
  if (!head) return walked.length === 0 && !state.begun;
  return (
    chain.isGenuine(tenantId, head) &&
    head.length === walked.length &&
    equal(head.lastHash, walked.lastHash)
  );
}
