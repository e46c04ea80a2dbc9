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

const findOthers = statement<{ id: string; record: Stored; absorbed: Absorbed }>(
  'merging.find_others',
  `SELECT id, record, absorbed FROM merged_contacts
   WHERE tenant_id = $1 AND survivor_id = $2 AND id <> $3`,
);

const giveMore = statement<object>(
  'merging.give_more',
  'UPDATE merged_contacts SET absorbed = $3 WHERE tenant_id = $1 AND id = $2',
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
  return { ...merged, contact: asStored(record) };
}

const asStored = (record: Stored): StoredContact => ({
  ...record,
  createdAt: new Date(record.createdAt),
  updatedAt: new Date(record.updatedAt),
});

/** The other contacts merged into the same survivor, in the order of the merges. */
export async function findMergedBeside(
  { rows }: Pick<Reading, 'rows'>,
  { contact, survivorId }: MergedContact,
  order: readonly string[],
): Promise<Pick<MergedContact, 'contact' | 'absorbed'>[]> {
  const found = await rows(findOthers, [survivorId, contact.id]);
  return found
    .sort((one, other) => order.indexOf(one.id) - order.indexOf(other.id))
    .map(({ record, absorbed }) => ({ contact: asStored(record), absorbed }));
}

/** Keeps what a merged contact gives now. */
export async function keepAbsorbed(
  { rows }: Pick<Changing, 'rows'>,
  id: string,
  absorbed: Absorbed,
): Promise<void> {
  await rows(giveMore, [id, JSON.stringify(absorbed)]);
}

/** Drops a contact that is merged no more. */
export async function dropMerged({ rows }: Pick<Changing, 'rows'>, id: string): Promise<void> {
  await rows(drop, [id]);
}
