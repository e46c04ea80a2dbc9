import { storingServiceNames } from '@postroom/contracts';
import type { Client } from 'pg';
import { schemas } from '../../database.js';

/** Schemas that are backed up: `blobs` holds bodies in transit, which nobody waits for after a restore. */
export const keptSchemas: readonly string[] = storingServiceNames;

/** A table as COPY reads and writes it; a partition is one of its own. */
export interface StoredTable {
  /** `schema.table`. */
  readonly name: string;
  /** Without those that PostgreSQL generates. */
  readonly columns: readonly string[];
}

/** What the job `prepare` writes, and a restore does not. */
const bookkeeping = ['migrations', 'sql_files'];

export async function storedTables(client: Client): Promise<StoredTable[]> {
  const { rows } = await client.query<StoredTable>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name,
       (SELECT json_agg(quote_ident(a.attname) ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY ($1) AND c.relkind = 'r' AND c.relname <> ALL ($2)
     ORDER BY 1`,
    [keptSchemas, bookkeeping],
  );
  return rows;
}

/** The last value of each sequence; null of one that was never asked. */
export async function sequences(client: Client): Promise<Record<string, string | null>> {
  const { rows } = await client.query<{ name: string; last: string | null }>(
    `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS last
     FROM pg_sequences WHERE schemaname = ANY ($1) ORDER BY 1`,
    [keptSchemas],
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** The migrations that have run, by schema, in their order. */
export async function migrationsThere(client: Client): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const schema of keptSchemas) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT name FROM ${schema}.migrations ORDER BY name`,
    );
    found[schema] = rows.map(({ name }) => name);
  }
  return found;
}

/** The migrations of this version of the program. */
export const migrationsHere = (): Record<string, string[]> =>
  Object.fromEntries(
    schemas
      .filter(({ name }) => keptSchemas.includes(name))
      .map(({ name, migrations }) => [name, migrations.map((one) => one.name).toSorted()]),
  );
