import { emptyRecord, valuesOf, type ContactRecord } from '@postroom/directory';
import type { Client } from 'pg';

/** A book to be filled. */
export interface Book {
  readonly id: string;
  readonly contacts: number;
}

const batch = 5_000;
export const salt = 7;

/** Words that are sought, and how many contacts of each book have them. */
export const sought = { rare: 8, frequent: 2_000 } as const;
export const words = { rare: 'quillebeuf', frequent: 'wexcombe' } as const;

/** Fills books of a workspace. The index of grams is built at the end, as when a dump is restored. */
export async function fill(
  client: Client,
  tenantId: string,
  books: readonly Book[],
  signal: AbortSignal,
): Promise<void> {
  await client.query(`SET search_path = directory, public; SET session_replication_role = replica;
    SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET jit = off;
    DROP INDEX contacts_grams`);
  for (const { id, contacts } of books) {
    await client.query(
      `INSERT INTO address_books (tenant_id, id, name, is_shared, salt, contact_count, created_at, updated_at)
       VALUES ($1, $2, $2, true, $3, $4, now(), now())`,
      [tenantId, id, salt, contacts],
    );
    for (let first = 0; first < contacts; first += batch) {
      signal.throwIfAborted();
      const rows = Array.from({ length: Math.min(batch, contacts - first) }, (_, i) =>
        rowOf(id, contacts, first + i),
      );
      await client.query(insert, [tenantId, id, JSON.stringify(rows)]);
    }
  }
  await client.query('CREATE INDEX contacts_grams ON contacts USING gin (grams)');
  await client.query('VACUUM (ANALYZE) contacts, address_books');
}

const insert = `
  INSERT INTO contacts (tenant_id, book_id, id, display_name, is_named, given_name, family_name,
    emails, phones, organization, job_title, groups, notes, dedupe_key, search_text, grams,
    group_keys, likeness, author, created_at, updated_at)
  SELECT $1, $2, r.id, r.display_name, r.is_named, r.given_name, r.family_name, r.emails, r.phones,
    r.organization, r.job_title, r.groups, r.notes, decode(r.dedupe_key, 'hex'), r.search_text,
    r.grams, r.group_keys, r.likeness, '{"type":"key","id":"key_1"}', now(),
    now() - interval '1 second' * row_number() OVER ()
  FROM json_to_recordset($3) AS r (id text, display_name text, is_named boolean, given_name text,
    family_name text, emails json, phones json, organization text, job_title text, groups text[],
    notes text, dedupe_key text, search_text text, grams integer[], group_keys text[],
    likeness text[])`;

const columns = [
  ...['display_name', 'is_named', 'given_name', 'family_name', 'emails', 'phones'],
  ...['organization', 'job_title', 'groups', 'notes', 'dedupe_key', 'search_text', 'grams'],
  ...['group_keys', 'likeness'],
];

function rowOf(bookId: string, total: number, n: number): object {
  const values = valuesOf(contactOf(total, n), { id: bookId, salt });
  const named = columns.map((name, i) => [name, plain(name, values[i])] as const);
  return {
    id: `ctc_${bookId.slice(4)}${String(n).padStart(9, '0')}`,
    ...Object.fromEntries(named),
  };
}

function plain(name: string, value: unknown): unknown {
  if (name === 'emails' || name === 'phones') return JSON.parse(value as string) as unknown;
  return value instanceof Buffer ? value.toString('hex') : value;
}

/** Each n-th contact of a book has a sought word, so that as many have it in every book. */
const hasWord = (total: number, n: number, count: number): boolean =>
  n % Math.floor(total / count) === 0 && n / Math.floor(total / count) < count;

/** Names of syllables, so that trigrams are as frequent as in a language. */
function contactOf(total: number, n: number): ContactRecord {
  const given = name(n, 11, 2);
  const family = hasWord(total, n, sought.rare) ? words.rare : name(n, 12, 3);
  const organization = hasWord(total, n + 1, sought.frequent)
    ? words.frequent
    : name(n % 20_000, 13, 3);
  return {
    ...emptyRecord,
    givenName: given,
    familyName: family,
    organization: `${organization} SARL`,
    emails: [{ value: `${given}.${family}${n}@${organization}.example`, type: 'work' }],
    groups: ['Clients'],
  };
}

const syllables =
  'ba bé co da di fa ga ha jo ka la le li lo ma mi mo na né no pa ri ro sa si to va vi ya zo'.split(
    ' ',
  );

/** A deterministic name. */
function name(n: number, seed: number, parts: number): string {
  let state = Math.imul(n + 1, 2_654_435_761) ^ Math.imul(seed, 40_503);
  const chosen: string[] = [];
  for (let i = 0; i < parts; i += 1) {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519);
    chosen.push(syllables[(state >>> 8) % syllables.length] ?? '');
  }
  return chosen.join('');
}
