import {
  Problem,
  type ContactMerge,
  type ContactPointValue,
  type Creator,
} from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { LockedBook, Reader } from '../books/index.js';
import { dedupeKeyOf, displayNameOf, type ContactRecord } from './contact-record.js';
import { likenessOf } from './likely-same.js';
import { gramsOfText, groupGram, groupKeyOf, searchTextOf } from './search-text.js';

/** A contact as it is stored. */
export interface StoredContact extends ContactRecord {
  readonly id: string;
  readonly bookId: string;
  readonly mergedFrom: readonly string[];
  readonly mergeLog: readonly ContactMerge[];
  readonly author: Creator;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
  /** Number of its last event. */
  readonly sequence: number;
}

/** A contact that is about to change, with its locked book. */
export interface LockedContact extends StoredContact {
  readonly book: LockedBook;
}

interface ContactRow {
  readonly id: string;
  readonly book_id: string;
  readonly display_name: string;
  readonly is_named: boolean;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly emails: ContactPointValue[];
  readonly phones: ContactPointValue[];
  readonly organization: string | null;
  readonly job_title: string | null;
  readonly groups: string[];
  readonly notes: string | null;
  readonly merged_from: string[];
  readonly merge_log: ContactMerge[];
  readonly author: Creator;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly version: number;
  readonly sequence: string;
}

/** The columns of {@link ContactRow}, of a row as SQL. */
const columns = (of: string): string =>
  [
    ...[
      'id',
      'book_id',
      'display_name',
      'is_named',
      'given_name',
      'family_name',
      'emails',
      'phones',
    ],
    ...['organization', 'job_title', 'groups', 'notes', 'merged_from', 'merge_log', 'author'],
    ...['created_at', 'updated_at', 'version', 'sequence'],
  ]
    .map((name) => `${of}.${name}`)
    .join(', ');

const storedOf = (row: ContactRow): StoredContact => ({
  id: row.id,
  bookId: row.book_id,
  displayName: row.is_named ? row.display_name : null,
  givenName: row.given_name,
  familyName: row.family_name,
  emails: row.emails,
  phones: row.phones,
  organization: row.organization,
  jobTitle: row.job_title,
  groups: row.groups,
  notes: row.notes,
  mergedFrom: row.merged_from,
  mergeLog: row.merge_log,
  author: row.author,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
  sequence: Number(row.sequence),
});

type Rows = Pick<Reading, 'rows'>;

const read = statement<ContactRow & { can_read: boolean }>(
  'contacts.read',
  `SELECT ${columns('(f.contact)')}, f.can_read FROM read_contact($1, $2, $3, $4) f`,
);

const lock = statement<ContactRow & { salt: number; can_write: boolean }>(
  'contacts.lock',
  `SELECT ${columns('(f.contact)')}, f.salt, f.can_write FROM lock_contact($1, $2, $3, $4) f`,
);

const findSome = statement<ContactRow>(
  'contacts.find_some',
  `SELECT ${columns('c')} FROM contacts c WHERE c.tenant_id = $1 AND c.id = ANY ($2)`,
);

const readSome = statement<ContactRow>(
  'contacts.read_some',
  `SELECT ${columns('c')} FROM read_contacts($1, $2) c`,
);

const first = statement<ContactRow>(
  'contacts.first',
  `SELECT ${columns('c')} FROM contacts c WHERE c.tenant_id = $1 AND c.book_id = $2 LIMIT $3`,
);

const findSame = statement<ContactRow>(
  'contacts.find_same',
  `SELECT ${columns('c')} FROM contacts c
   WHERE c.tenant_id = $1 AND c.book_id = $2 AND c.dedupe_key = $3`,
);

const insert = statement<object>(
  'contacts.insert',
  `WITH added AS (
     INSERT INTO contacts
       (tenant_id, book_id, id, display_name, is_named, given_name, family_name, emails, phones,
        organization, job_title, groups, notes, dedupe_key, search_text, grams, group_keys, likeness,
        author, merged_from, merge_log, created_at, updated_at, version, sequence)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        $19, $20, $21, $22, $23, $24, $25)
   ), counted AS (
     UPDATE address_books SET contact_count = contact_count + 1 WHERE tenant_id = $1 AND id = $2
   )
   INSERT INTO volume_deltas (tenant_id, at, kind)
   SELECT $1, $22, 'contacts.created' WHERE $26`,
);

const change = statement<object>(
  'contacts.change',
  `UPDATE contacts SET display_name = $4, is_named = $5, given_name = $6, family_name = $7, emails = $8,
     phones = $9, organization = $10, job_title = $11, groups = $12, notes = $13, dedupe_key = $14,
     search_text = $15, grams = $16, group_keys = $17, likeness = $18, merged_from = $19,
     merge_log = $20, updated_at = $21, version = $22, sequence = $23
   WHERE tenant_id = $1 AND book_id = $2 AND id = $3`,
);

const forget = statement<object>('contacts.forget_merged', 'SELECT forget_merged($1, $2)');

const remove = statement<object>(
  'contacts.remove',
  `WITH removed AS (
     DELETE FROM contacts WHERE tenant_id = $1 AND book_id = $2 AND id = ANY ($3) RETURNING id
   )
   UPDATE address_books SET contact_count = contact_count - (SELECT count(*) FROM removed)
   WHERE tenant_id = $1 AND id = $2`,
);

/** @throws Problem CONTACT_NOT_FOUND; FORBIDDEN where the reader may not read its book */
export async function readContact(
  { rows }: Rows,
  { memberId, isAdmin }: Reader,
  id: string,
): Promise<StoredContact> {
  const [found] = await rows(read, [memberId, isAdmin, id]);
  if (!found) throw new Problem('CONTACT_NOT_FOUND');
  if (!found.can_read) throw new Problem('FORBIDDEN');
  return storedOf(found);
}

/**
 * Locks the book of a contact and reads it: concurrent changes of the book wait, and then see this one.
 * @throws Problem CONTACT_NOT_FOUND; FORBIDDEN where the reader may not write its book
 */
export async function lockContact(
  { rows }: Rows,
  { memberId, isAdmin }: Reader,
  id: string,
): Promise<LockedContact> {
  const [found] = await rows(lock, [memberId, isAdmin, id]);
  if (!found) throw new Problem('CONTACT_NOT_FOUND');
  if (!found.can_write) throw new Problem('FORBIDDEN');
  return { ...storedOf(found), book: { id: found.book_id, salt: found.salt } };
}

/** Contacts by their ids, whatever their book, in the order of the ids; unknown ones are left out. */
export async function findContacts(
  { rows }: Rows,
  ids: readonly string[],
): Promise<StoredContact[]> {
  const found = new Map((await rows(findSome, [ids])).map((row) => [row.id, storedOf(row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** The same without a transaction. */
export const readContacts = async (
  { rows }: Rows,
  ids: readonly string[],
): Promise<StoredContact[]> => (await rows(readSome, [ids])).map(storedOf);

/** Some contacts of a book, in no order. */
export const firstContacts = async (
  { rows }: Rows,
  bookId: string,
  count: number,
): Promise<StoredContact[]> => (await rows(first, [bookId, count])).map(storedOf);

/** The contact of a locked book that has the deduplication key of a record. */
export async function findSameContact(
  { rows }: Rows,
  book: Pick<LockedBook, 'id'>,
  record: ContactRecord,
): Promise<StoredContact | null> {
  const [found] = await rows(findSame, [book.id, dedupeKeyOf(record)]);
  return found ? storedOf(found) : null;
}

/** @throws Problem CONTACT_EXISTS when a contact would get the deduplication key of another of its book */
export async function requireOnlyOne(
  context: Rows,
  book: LockedBook,
  before: StoredContact,
  record: ContactRecord,
): Promise<void> {
  if (dedupeKeyOf(before).equals(dedupeKeyOf(record))) return;
  const same = await findSameContact(context, book, record);
  if (same && same.id !== before.id) throw new Problem('CONTACT_EXISTS');
}

/** Stores a contact that is not there, of a locked book. */
export async function insertContact(
  { rows }: Pick<Changing, 'rows'>,
  book: LockedBook,
  contact: StoredContact,
  isNew: boolean,
): Promise<void> {
  const { author, mergedFrom, mergeLog, createdAt, updatedAt, version, sequence } = contact;
  const origin = [JSON.stringify(author), mergedFrom, JSON.stringify(mergeLog)];
  const stamps = [createdAt, updatedAt, version, sequence, isNew];
  await rows(insert, [book.id, contact.id, ...valuesOf(contact, book), ...origin, ...stamps]);
}

/** Stores a contact of a locked book as it has become. */
export async function changeContact(
  { rows }: Pick<Changing, 'rows'>,
  book: LockedBook,
  contact: StoredContact,
): Promise<void> {
  const { id, mergedFrom, mergeLog, updatedAt, version, sequence } = contact;
  const stamps = [mergedFrom, JSON.stringify(mergeLog), updatedAt, version, sequence];
  await rows(change, [book.id, id, ...valuesOf(contact, book), ...stamps]);
}

/** Forgets what was merged into contacts, since they are deleted. */
export async function forgetMerged(
  { rows }: Pick<Changing, 'rows'>,
  survivors: readonly string[],
): Promise<void> {
  await rows(forget, [survivors]);
}

/** Removes contacts of a locked book. */
export async function removeContacts(
  { rows }: Pick<Changing, 'rows'>,
  book: Pick<LockedBook, 'id'>,
  ids: readonly string[],
): Promise<void> {
  await rows(remove, [book.id, ids]);
}

/** A record as columns, with what is derived from it. */
function valuesOf(record: ContactRecord, { salt }: LockedBook): unknown[] {
  const text = searchTextOf(record);
  const groupKeys = record.groups.map(groupKeyOf);
  const grams = [...gramsOfText(text), ...groupKeys.map(groupGram)];
  return [
    displayNameOf(record),
    record.displayName !== null,
    record.givenName,
    record.familyName,
    JSON.stringify(record.emails),
    JSON.stringify(record.phones),
    record.organization,
    record.jobTitle,
    record.groups,
    record.notes,
    dedupeKeyOf(record),
    text,
    [...new Set(grams.map((gram) => gram ^ salt))],
    groupKeys,
    likenessOf(record),
  ];
}
