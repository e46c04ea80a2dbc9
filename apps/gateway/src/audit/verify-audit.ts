import type { AuditVerdict } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { emptyChain, equal, type AuditChain, type AuditHead } from './audit-chain.js';
import { entryColumns, headOf, recordOf, type EntryRow, type HeadRow } from './audit-rows.js';

/** Entries in memory at a time; their HMACs hold the event loop for some milliseconds. */
const partMax = 1_000;

/** Entries of one step: some seconds. */
const stepMax = 50_000;

type Walked = HeadRow & { readonly [K in keyof EntryRow]: EntryRow[K] | null };

const readPart = statement<Walked>(
  'access.scan_audit_chain',
  `SELECT ${entryColumns('(w.entry)')}, w.begun, w.length, w.last_hash, w.mac
   FROM scan_audit_chain($1, $2, $3) w`,
);

const countWaiting = statement<{ waiting: number }>(
  'access.count_audit_backlog',
  'SELECT count_audit_backlog($1) AS waiting',
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
  const found = await rows(readPart, [after, limit]);
  const [state] = found;
  if (!state) throw new Error('a caller’s workspace is there');
  const entries = found.filter((row): row is HeadRow & EntryRow => row.position !== null);
  return { entries, state, last: entries.length < limit };
}

/** What verification asks, and where the walk begins. */
interface Verification {
  readonly chain: AuditChain;
  readonly after: number;
  /** Entries of this walk at most. */
  readonly max?: number;
}

/** What a walk found, and where it goes on: null when it is over. */
export type AuditStep = Omit<AuditVerdict, 'unsealed'> & { readonly after: number | null };

/**
 * Walks the chain, as far as one step goes. Each part is read together with the head, so that what is
 * sealed meanwhile is part of the walk, and an end that the head does not know is found. A step begins
 * at the hash that the one before it has found right: were it changed in between, nobody without the
 * key could have the next entry follow from it.
 */
export async function walkAudit(
  context: Pick<Reading, 'tenantId' | 'rows'>,
  { chain, after, max = stepMax }: Verification,
): Promise<AuditStep> {
  const { tenantId } = context;
  const start = await startAfter(context, after);
  if (!start) return nowhere;
  let walk = start;
  let end: ChainPart;
  do {
    end = await readChain(context, walk.length, Math.min(partMax, max));
    walk = follow(chain, tenantId, walk, end.entries);
  } while (!end.last && walk.brokenId === null && walk.length - after < max);
  const isOver = end.last || walk.brokenId !== null;
  return {
    ok: walk.brokenId === null && isOver && endsAt(chain, tenantId, walk, end.state),
    entries: walk.length,
    sealedThrough: walk.sealedThrough,
    firstBrokenId: walk.brokenId,
    after: isOver ? null : walk.length,
  };
}

/** Records of this service that wait to be sealed. */
export async function waitingHere({ rows }: Pick<Reading, 'rows'>): Promise<number> {
  const [row] = await rows(countWaiting, []);
  return row?.waiting ?? 0;
}

/** Where there is no entry at a place, none follows from it. */
const nowhere: AuditStep = {
  ok: false,
  entries: 0,
  sealedThrough: null,
  firstBrokenId: null,
  after: null,
};

/** A walk that stands at a place in the chain; null when no entry is there. */
async function startAfter(context: Pick<Reading, 'rows'>, after: number): Promise<Walk | null> {
  if (after === 0) return { ...emptyChain, sealedThrough: null, brokenId: null };
  const { entries } = await readChain(context, after - 1, 1);
  const [entry] = entries;
  if (entry?.position !== after) return null;
  const { position: length, hash: lastHash } = entry;
  return { length, lastHash, sealedThrough: recordOf(entry).at, brokenId: null };
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
