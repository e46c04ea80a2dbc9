import type { ContactMerge, Creator } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { LockedBook } from '../books/index.js';
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

/** The columns of a {@link StoredContact}, of a row of `contacts` as SQL. */
export const contactColumns = (of: string): string => `
  ${of}.id, ${of}.book_id AS "bookId",
  CASE WHEN ${of}.is_named THEN ${of}.display_name END AS "displayName",
  ${of}.given_name AS "givenName", ${of}.family_name AS "familyName", ${of}.emails, ${of}.phones,
  ${of}.organization, ${of}.job_title AS "jobTitle", ${of}.groups, ${of}.notes,
  ${of}.addresses, ${of}.birthday, ${of}.urls, ${of}.photo,
  ${of}.merged_from AS "mergedFrom", ${of}.merge_log AS "mergeLog", ${of}.author,
  ${of}.created_at AS "createdAt", ${of}.updated_at AS "updatedAt", ${of}.version,
  ${of}.sequence::float8 AS sequence`;

/** A record as the columns `display_name` to `likeness`, with what is derived from it. */
export function valuesOf(record: ContactRecord, { salt }: LockedBook): unknown[] {
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
    JSON.stringify(record.addresses),
    record.birthday,
    JSON.stringify(record.urls),
    record.photo,
    dedupeKeyOf(record),
    text,
    [...new Set(grams.map((gram) => gram ^ salt))],
    groupKeys,
    likenessOf(record),
  ];
}

type Rows = Pick<Changing, 'rows'>;

const insert = statement<object>(
  'contacts.insert',
  `WITH added AS (
     INSERT INTO contacts
       (tenant_id, book_id, id, display_name, is_named, given_name, family_name, emails, phones,
        organization, job_title, groups, notes, addresses, birthday, urls, photo, dedupe_key, search_text,
        grams, group_keys, likeness, author, merged_from, merge_log, created_at, updated_at, version,
        sequence)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29)
   ), counted AS (
     UPDATE address_books SET contact_count = contact_count + 1 WHERE tenant_id = $1 AND id = $2
   )
   INSERT INTO volume_deltas (tenant_id, at, kind)
   SELECT $1, $26, 'contacts.created' WHERE $30`,
);

const change = statement<object>(
  'contacts.change',
  `UPDATE contacts SET display_name = $4, is_named = $5, given_name = $6, family_name = $7, emails = $8,
     phones = $9, organization = $10, job_title = $11, groups = $12, notes = $13, addresses = $14,
     birthday = $15, urls = $16, photo = $17, dedupe_key = $18, search_text = $19, grams = $20,
     group_keys = $21, likeness = $22, merged_from = $23, merge_log = $24, updated_at = $25,
     version = $26, sequence = $27
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

/**
 * Stores a contact that is not there, of a locked book.
 * @param isNew whether it counts as created in the volumes; one that was merged is back, and does not
 */
export async function insertContact(
  { rows }: Rows,
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
  { rows }: Rows,
  book: LockedBook,
  contact: StoredContact,
): Promise<void> {
  const { id, mergedFrom, mergeLog, updatedAt, version, sequence } = contact;
  const stamps = [mergedFrom, JSON.stringify(mergeLog), updatedAt, version, sequence];
  await rows(change, [book.id, id, ...valuesOf(contact, book), ...stamps]);
}

/** Forgets what was merged into contacts, since they are deleted. */
export async function forgetMerged({ rows }: Rows, survivors: readonly string[]): Promise<void> {
  await rows(forget, [survivors]);
}

/** Removes contacts of a locked book. */
export async function removeContacts(
  { rows }: Rows,
  book: Pick<LockedBook, 'id'>,
  ids: readonly string[],
): Promise<void> {
  await rows(remove, [book.id, ids]);
}
