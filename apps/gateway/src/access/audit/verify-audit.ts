import type { AuditVerdict } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import type { Pieces } from '@postroom/limits';
import { statement } from '@postroom/persistence';
import { emptyChain, equal, type AuditChain, type AuditHead } from './audit-chain.js';
import { entryColumns, headOf, recordOf, type EntryRow, type HeadRow } from './audit-rows.js';

/** Entries that are read at a time; their HMACs block the event loop for a millisecond or two. */
const partMax = 250;

/** Entries of one step, which takes some seconds. */
const stepMax = 50_000;

type ChainRow = HeadRow & { readonly [K in keyof EntryRow]: EntryRow[K] | null };

const readPart = statement<ChainRow>(
  'access.scan_audit_chain',
  `SELECT ${entryColumns('(w.entry)')}, w.begun, w.length, w.last_hash, w.mac
   FROM scan_audit_chain($1, $2, $3) w`,
);

const countWaiting = statement<{ waiting: number }>(
  'access.count_audit_backlog',
  'SELECT count_audit_backlog($1) AS waiting',
);

/** A part of a chain, and the head of the chain in the same snapshot. */
export interface ChainPart {
  readonly entries: readonly EntryRow[];
  readonly state: HeadRow;
  /** True when nothing follows. */
  readonly last: boolean;
}

/** Reads the entries after a position of the chain, in order. */
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

/** The chain to verify, and from which position on. */
interface Verification {
  readonly chain: AuditChain;
  /** The turns of the thread. */
  readonly pieces: Pieces;
  readonly after: number;
  /** Entries of this step at most. */
  readonly max?: number;
}

/** The result of a step; `after` is where the next step begins, null when there is none. */
export type AuditStep = Omit<AuditVerdict, 'unsealed'> & { readonly after: number | null };

/**
 * Verifies one step of the chain. Each part is read together with the head, so that entries which are sealed
 * meanwhile are included, and an end that differs from the head is found. A step begins with the hash that the
 * step before has verified: if that entry was altered in between, no next entry can follow from it without the
 * key.
 */
export async function verifyChain(
  context: Pick<Reading, 'tenantId' | 'rows'>,
  { chain, pieces, after, max = stepMax }: Verification,
): Promise<AuditStep> {
  const { tenantId } = context;
  const start = await startAfter(context, after);
  if (!start) return missingEntry;
  let progress = start;
  let end: ChainPart;
  do {
    end = await readChain(context, progress.length, Math.min(partMax, max));
    const { entries } = end;
    const before = progress;
    progress = await pieces.work(tenantId, () => follow(chain, tenantId, before, entries));
  } while (!end.last && progress.brokenId === null && progress.length - after < max);
  const isOver = end.last || progress.brokenId !== null;
  return {
    ok: progress.brokenId === null && isOver && endsAt(chain, tenantId, progress, end.state),
    entries: progress.length,
    sealedThrough: progress.sealedThrough,
    firstBrokenId: progress.brokenId,
    after: isOver ? null : progress.length,
  };
}

/** The number of records of this service that are not sealed yet. */
export async function waitingHere({ rows }: Pick<Reading, 'rows'>): Promise<number> {
  const [row] = await rows(countWaiting, []);
  return row?.waiting ?? 0;
}

/** The verdict when there is no entry at the position where a step should begin. */
const missingEntry: AuditStep = {
  ok: false,
  entries: 0,
  sealedThrough: null,
  firstBrokenId: null,
  after: null,
};

/** The progress at a position of the chain; null when there is no entry. */
async function startAfter(context: Pick<Reading, 'rows'>, after: number): Promise<Progress | null> {
  if (after === 0) return { ...emptyChain, sealedThrough: null, brokenId: null };
  const { entries } = await readChain(context, after - 1, 1);
  const [entry] = entries;
  if (entry?.position !== after) return null;
  const { position: length, hash: lastHash } = entry;
  return { length, lastHash, sealedThrough: recordOf(entry).at, brokenId: null };
}

/** The end of the verified part of the chain, and the first entry that does not follow. */
interface Progress extends AuditHead {
  readonly sealedThrough: string | null;
  readonly brokenId: string | null;
}

/** Verifies entries up to the first that does not follow from the one before. */
function follow(
  chain: AuditChain,
  tenantId: string,
  start: Progress,
  entries: readonly EntryRow[],
): Progress {
  let progress = start;
  for (const entry of entries) {
    const record = recordOf(entry);
    const { position: length, hash: lastHash } = entry;
    const follows = chain.isLink(tenantId, progress.lastHash, record, lastHash);
    if (length !== progress.length + 1 || !follows) return { ...progress, brokenId: entry.id };
    progress = { length, lastHash, sealedThrough: record.at, brokenId: null };
  }
  return progress;
}

/** Checks that the chain ends where its genuine head says; a chain that has not begun has no head. */
function endsAt(chain: AuditChain, tenantId: string, end: AuditHead, state: HeadRow): boolean {
  const head = headOf(state);
  if (!head) return end.length === 0 && !state.begun;
  return (
    chain.isGenuine(tenantId, head) &&
    head.length === end.length &&
    equal(head.lastHash, end.lastHash)
  );
}
