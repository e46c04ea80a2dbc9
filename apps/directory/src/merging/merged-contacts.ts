import type { Changing, Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { LockedBook } from '../books/index.js';
import type { StoredContact } from '../contacts/index.js';
import type { Absorbed } from './absorb.js';

/** A contact that was merged, as it was, and what it gave. */
export interface MergedContact {
  readonly contact: StoredContact;
  readonly bookId: string;
  readonly survivorId: string;
  readonly absorbed: Absorbed;
}

type Stored = Omit<StoredContact, 'createdAt' | 'updatedAt'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
};

const keep = statement<object>(
  'merging.keep',
  `INSERT INTO merged_contacts (tenant_id, book_id, survivor_id, merged_at, id, record, absorbed)
   SELECT $1, $2, $3, $4, * FROM unnest($5::text[], $6::json[], $7::json[])`,
);

const find = statement<{ bookId: string; survivorId: string; record: Stored; absorbed: Absorbed }>(
  'merging.find',
  `SELECT book_id AS "bookId", survivor_id AS "survivorId", record, absorbed FROM merged_contacts
   WHERE tenant_id = $1 AND id = $2`,
);

const drop = statement<object>(
  'merging.drop',
  'DELETE FROM merged_contacts WHERE tenant_id = $1 AND id = $2',
);

/** Keeps contacts that were merged into a survivor. */
export async function keepMerged(
  { rows, at }: Pick<Changing, 'rows' | 'at'>,
  book: LockedBook,
  survivorId: string,
  merged: readonly Pick<MergedContact, 'contact' | 'absorbed'>[],
): Promise<void> {
  const ids = merged.map(({ contact }) => contact.id);
  const records = merged.map(({ contact }) => JSON.stringify(contact));
  const absorbed = merged.map((one) => JSON.stringify(one.absorbed));
  await rows(keep, [book.id, survivorId, at, ids, records, absorbed]);
}

/** A contact that was merged; null when there is none of that id. */
export async function findMerged(
  { rows }: Pick<Reading, 'rows'>,
  id: string,
): Promise<MergedContact | null> {
  const [found] = await rows(find, [id]);
  if (!found) return null;
  const { record, ...merged } = found;
  const [createdAt, updatedAt] = [new Date(record.createdAt), new Date(record.updatedAt)];
  return { ...merged, contact: { ...record, createdAt, updatedAt } };
}

/** Drops a contact that is merged no more. */
export async function dropMerged({ rows }: Pick<Changing, 'rows'>, id: string): Promise<void> {
  await rows(drop, [id]);
}
