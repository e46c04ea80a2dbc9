import {
  contactsMax,
  listed,
  listedMax,
  Problem,
  type ContactGroup,
  type ContactItem,
  type ContactList,
  type GroupList,
  type ListContacts,
  type ListGroups,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { readerOf, requireReadableBook, type LockedBook, type Reader } from '../books/index.js';
import { searchOf } from './search-text.js';
import { dedupeKeyOf, type ContactRecord } from './contact-record.js';
import { contactColumns, type StoredContact } from './store-contacts.js';

/** A contact that is about to change, with its locked book. */
export interface LockedContact extends StoredContact {
  readonly book: LockedBook;
}

type Rows = Pick<Reading, 'rows'>;

const read = statement<StoredContact & { canRead: boolean }>(
  'contacts.read',
  `SELECT ${contactColumns('(f.contact)')}, f.can_read AS "canRead"
   FROM read_contact($1, $2, $3, $4) f`,
);

const lock = statement<StoredContact & { salt: number; canWrite: boolean }>(
  'contacts.lock',
  `SELECT ${contactColumns('(f.contact)')}, f.salt, f.can_write AS "canWrite"
   FROM lock_contact($1, $2, $3, $4) f`,
);

const findSome = statement<StoredContact>(
  'contacts.find_some',
  `SELECT ${contactColumns('c')} FROM contacts c WHERE c.tenant_id = $1 AND c.id = ANY ($2)`,
);

const readSome = statement<StoredContact>(
  'contacts.read_some',
  `SELECT ${contactColumns('c')} FROM read_contacts($1, $2) c`,
);

const readAfter = statement<StoredContact>(
  'contacts.read_after',
  `SELECT ${contactColumns('c')} FROM book_contacts_after($1, $2, $3, $4) c`,
);

const first = statement<StoredContact>(
  'contacts.first',
  `SELECT ${contactColumns('c')} FROM contacts c WHERE c.tenant_id = $1 AND c.book_id = $2 LIMIT $3`,
);

const findSame = statement<StoredContact>(
  'contacts.find_same',
  `SELECT ${contactColumns('c')} FROM contacts c
   WHERE c.tenant_id = $1 AND c.book_id = $2 AND c.dedupe_key = $3`,
);

/** @throws Problem CONTACT_NOT_FOUND; FORBIDDEN where the reader may not read its book */
export async function readContact(
  { rows }: Rows,
  { memberId, isAdmin }: Reader,
  id: string,
): Promise<StoredContact> {
  const [found] = await rows(read, [memberId, isAdmin, id]);
  if (!found) throw new Problem('CONTACT_NOT_FOUND');
  const { canRead, ...contact } = found;
  if (!canRead) throw new Problem('FORBIDDEN');
  return contact;
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
  const { salt, canWrite, ...contact } = found;
  if (!canWrite) throw new Problem('FORBIDDEN');
  return { ...contact, book: { id: contact.bookId, salt } };
}

/** Contacts by their ids, whatever their book, in the order of the ids; unknown ones are left out. */
export async function findContacts(
  { rows }: Rows,
  ids: readonly string[],
): Promise<StoredContact[]> {
  const found = new Map((await rows(findSome, [ids])).map((contact) => [contact.id, contact]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Contacts by their ids, without a transaction and in no order. */
export const readContacts = ({ rows }: Rows, ids: readonly string[]): Promise<StoredContact[]> =>
  rows(readSome, [ids]);

/** The contacts of a book after one of them, in the order of their ids, without a transaction. */
export const readBookAfter = (
  { rows }: Rows,
  bookId: string,
  after: string,
  count: number,
): Promise<StoredContact[]> => rows(readAfter, [bookId, after, count]);

/** Some contacts of a book, in no order. */
export const firstContacts = (
  { rows }: Rows,
  bookId: string,
  count: number,
): Promise<StoredContact[]> => rows(first, [bookId, count]);

/** The contact of a locked book that has the deduplication key of a record. */
export async function findSameContact(
  { rows }: Rows,
  book: Pick<LockedBook, 'id'>,
  record: ContactRecord,
): Promise<StoredContact | null> {
  const [found] = await rows(findSame, [book.id, dedupeKeyOf(record)]);
  return found ?? null;
}

/** True if no other contact of the book has the deduplication key of a changed contact. */
export async function isOnlyOne(
  context: Rows,
  book: LockedBook,
  before: StoredContact,
  record: ContactRecord,
): Promise<boolean> {
  if (dedupeKeyOf(before).equals(dedupeKeyOf(record))) return true;
  const same = await findSameContact(context, book, record);
  return same === null || same.id === before.id;
}

/** @throws Problem CONTACT_EXISTS when a contact would get the deduplication key of another of its book */
export async function requireOnlyOne(...given: Parameters<typeof isOnlyOne>): Promise<void> {
  if (!(await isOnlyOne(...given))) throw new Problem('CONTACT_EXISTS');
}

/** Times as milliseconds: to write two thousand as texts takes PostgreSQL as long as to find them (goal K-list). */
interface ListedRow extends Omit<ContactItem, 'createdAt' | 'updatedAt'> {
  readonly created: number;
  readonly updated: number;
  readonly total: string;
}

const milliseconds = (column: string): string => `round(date_part('epoch', ${column}) * 1000)`;

const list = statement<ListedRow>(
  'contacts.list',
  `SELECT f.id, f.book_id AS "bookId", f.display_name AS "displayName", f.given_name AS "givenName",
     f.family_name AS "familyName", f.emails, f.phones, f.organization, f.job_title AS "jobTitle",
     f.groups, f.notes, f.addresses, f.birthday, f.urls, f.has_photo AS "hasPhoto", f.merged_from AS "mergedFrom", f.author,
     ${milliseconds('f.created_at')} AS created, ${milliseconds('f.updated_at')} AS updated, f.version, f.total
   FROM list_contacts($1, $2, $3, $4, $5, $6, $7, $8, $9) f`,
);

/** Contacts of the books that the caller may read, or of one of them. */
export async function listContacts(context: Reading, input: ListContacts): Promise<ContactList> {
  const reader = readerOf(context.caller);
  const { bookId = null } = input;
  const { patterns, grams, groupKey } = searchOf(input);
  const found = await context.rows(list, [
    reader.memberId,
    reader.isAdmin,
    bookId,
    input.sort === 'updated',
    contactsMax,
    patterns,
    grams,
    groupKey,
  ]);
  if (found.length === 0 && bookId !== null) await requireReadableBook(context, reader, bookId);
  const total = Number(found[0]?.total ?? 0);
  return {
    contacts: found.map(listedContact),
    total,
    truncated: total > found.length,
  };
}

const listedContact = ({
  total: _,
  created,
  updated,
  version,
  ...row
}: ListedRow): ContactItem => ({
  ...row,
  createdAt: new Date(created).toISOString(),
  updatedAt: new Date(updated).toISOString(),
  version,
});

const groups = statement<ContactGroup>(
  'contacts.groups',
  'SELECT f."group", f.contacts FROM list_groups($1, $2, $3, $4, $5) f',
);

/** Groups of the books that the caller may read, or of one of them. */
export async function listGroups(context: Reading, input: ListGroups): Promise<GroupList> {
  const { bookId = null } = input;
  const reader = readerOf(context.caller);
  const found = await context.rows(groups, [reader.memberId, reader.isAdmin, bookId, listedMax]);
  if (found.length === 0 && bookId !== null) await requireReadableBook(context, reader, bookId);
  const { all, truncated } = listed(found);
  return { groups: all, truncated };
}
