import type { ContactMerge, Creator } from '@postroom/contracts';
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
    dedupeKeyOf(record),
    text,
    [...new Set(grams.map((gram) => gram ^ salt))],
    groupKeys,
    likenessOf(record),
  ];
}
