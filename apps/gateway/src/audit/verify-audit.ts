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
  let walked: AuditHead = emptyChain;
  let sealedThrough: string | null = null;
  let fault: { readonly brokenId: string | null } | null = null;
  for (let ended = false; !ended && !fault;) {
    const { entries, state, last } = await readChain(context, walked.length);
    for (const entry of entries) {
      const record = recordOf(entry);
      const lastHash = chain.link(tenantId, walked.lastHash, record);
      if (entry.position !== walked.length + 1 || !equal(lastHash, entry.hash)) {
        fault = { brokenId: entry.id };
        break;
      }
      walked = { length: entry.position, lastHash };
      sealedThrough = record.at;
    }
    ended = last;
    if (ended && !fault && !endsAt(chain, tenantId, walked, state)) fault = { brokenId: null };
  }
  const [row] = await context.rows(countWaiting, []);
  return {
    ok: fault === null,
    entries: walked.length,
    sealedThrough,
    unsealed: row?.waiting ?? 0,
    firstBrokenId: fault?.brokenId ?? null,
  };
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
