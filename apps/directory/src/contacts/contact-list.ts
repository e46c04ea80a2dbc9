import {
  contactsMax,
  type ContactItem,
  type ContactList,
  type ListContacts,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { readerOf, requireReadableBook } from '../books/index.js';
import { searchOf } from './search-text.js';

const list = statement<ContactItem & { total: string }>(
  'contacts.list',
  `SELECT f.id, f.book_id AS "bookId", f.display_name AS "displayName", f.given_name AS "givenName",
     f.family_name AS "familyName", f.emails, f.phones, f.organization, f.job_title AS "jobTitle",
     f.groups, f.notes, f.merged_from AS "mergedFrom", f.author,
     ${instant('f.created_at')} AS "createdAt", ${instant('f.updated_at')} AS "updatedAt", f.version,
     f.total
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
    contacts: found.map(({ total: _, ...contact }) => contact),
    total,
    truncated: total > found.length,
  };
}
