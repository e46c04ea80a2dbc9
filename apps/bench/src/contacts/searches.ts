import { searchOf } from '@postroom/directory';
import type { Client } from 'pg';
import { shuffled } from '../shuffled.js';
import { words } from './fill.js';

/** What is looked for. */
export const queries = [
  { id: 'rare', title: 'a name that 8 have', q: words.rare },
  { id: 'frequent', title: 'an organization of 2,000', q: words.frequent },
  { id: 'address', title: 'a part of an address of 8', q: `.${words.rare.slice(0, 6)}` },
  { id: 'absent', title: 'a name that nobody has', q: 'xylophon' },
] as const;

export type Query = (typeof queries)[number];

/** Plans that a hand-written query is forced to use. */
const plans = {
  grams: 'SET enable_seqscan = off',
  walk: 'SET enable_bitmapscan = off SET enable_seqscan = off SET enable_sort = off',
  sequential: 'SET enable_bitmapscan = off SET enable_indexscan = off',
} as const;

type PlanName = keyof typeof plans;
const planNames = Object.keys(plans) as PlanName[];

const byGrams = (name: PlanName): string => (name === 'grams' ? 'c.grams @> p_grams AND' : '');

/** As the product has to run it: by the look-up role, with the number of all. */
const planFunction = (name: PlanName): string => `
  CREATE FUNCTION directory.bench_${name}(
    p_tenant text, p_book text, p_pattern text, p_grams integer[])
  RETURNS TABLE (id text, book_id text, display_name text, given_name text, family_name text,
    emails json, phones json, organization text, job_title text, groups text[], notes text,
    merged_from text[], author json, created_at timestamptz, updated_at timestamptz,
    version integer, total bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = directory, public SET jit = off
  SET plan_cache_mode = force_custom_plan ${plans[name]} AS $$
  BEGIN
    RETURN QUERY
      SELECT c.id, c.book_id, c.display_name, c.given_name, c.family_name, c.emails, c.phones,
        c.organization, c.job_title, c.groups, c.notes, c.merged_from, c.author, c.created_at,
        c.updated_at, c.version, count(*) OVER ()
      FROM contacts c
      WHERE ${byGrams(name)} c.tenant_id = p_tenant AND c.book_id = p_book
        AND c.search_text LIKE p_pattern
      ORDER BY c.display_name COLLATE "fr-x-icu", c.id LIMIT 2000;
  END $$;
  GRANT CREATE ON SCHEMA directory TO postroom_directory_lookup;
  ALTER FUNCTION directory.bench_${name}(text, text, text, integer[])
    OWNER TO postroom_directory_lookup;
  REVOKE CREATE ON SCHEMA directory FROM postroom_directory_lookup`;

/** Adds the plans to a database. */
export async function addPlans(admin: Client): Promise<void> {
  for (const name of planNames) await admin.query(planFunction(name));
}

export interface Place {
  readonly tenantId: string;
  readonly bookId: string;
  readonly salt: number;
}

export type Ask = () => Promise<{ id: string }[]>;

const listed = `id, book_id, display_name, given_name, family_name, emails, phones, organization,
  job_title, groups, notes, merged_from, author, created_at, updated_at, version, total`;

/** The product's search of a book, as the service runs it. */
export const productSearch =
  (client: Client, { tenantId, bookId }: Place, q: string): Ask =>
  async () => {
    const { patterns, grams, groupKey } = searchOf({ q });
    const values = [tenantId, 'mbr_1', true, bookId, false, 2000, patterns, grams, groupKey];
    const text = `SELECT ${listed} FROM list_contacts($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
    return (await client.query<{ id: string }>({ name: 'product', text, values })).rows;
  };

/** The same by each of the plans. */
export const plannedSearches = (
  client: Client,
  { tenantId, bookId, salt }: Place,
  q: string,
): ReadonlyMap<PlanName, Ask> => {
  const { patterns, grams } = searchOf({ q });
  const values = [tenantId, bookId, patterns[0], grams.map((gram) => gram ^ salt)];
  return new Map(
    planNames.map((name) => [
      name,
      async () => {
        const text = `SELECT ${listed} FROM bench_${name}($1, $2, $3, $4)`;
        return (await client.query<{ id: string }>({ name: `bench_${name}`, text, values })).rows;
      },
    ]),
  );
};

/** The least time of each in some turns, interleaved: other load can only add to it. */
export async function fastestOf<N>(
  contestants: ReadonlyMap<N, () => Promise<unknown>>,
  turns: number,
): Promise<ReadonlyMap<N, number>> {
  const times = new Map<N, number>();
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, ask] of shuffled([...contestants])) {
      const began = performance.now();
      await ask();
      times.set(name, Math.min(times.get(name) ?? Infinity, performance.now() - began));
    }
  }
  return times;
}
