import type { Client } from 'pg';

/** A table that has rows of workspaces. */
export interface TenantTable {
  readonly schema: string;
  readonly name: string;
  /** In their order, without those that {@link isSecret} names. */
  readonly columns: readonly string[];
}

/** Columns that no file may hold: what signs in, and what the keyring has sealed. */
export const isSecret = (column: string): boolean =>
  /(^|_)(sealed|secret|token|password)(_|$)/.test(column) ||
  /^(imap|outgoing|dkim|mac)$/.test(column);

const findTables = `
  SELECT n.nspname AS schema, c.relname AS name,
    (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind = ANY ($2)
    AND EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = c.oid AND t.attname = 'tenant_id')
  ORDER BY c.relname`;

/** The tables of a schema as they are read: a partitioned one as a whole. */
export async function readTables(client: Client, schema: string): Promise<TenantTable[]> {
  const { rows } = await client.query<TenantTable>(
    `SELECT * FROM (${findTables}) t
     WHERE NOT (SELECT relispartition FROM pg_class WHERE oid = format('%I.%I', t.schema, t.name)::regclass)`,
    [schema, ['r', 'p']],
  );
  return rows.map((table) => ({
    ...table,
    columns: table.columns.filter((column) => !isSecret(column)),
  }));
}

interface Reference {
  readonly from: string;
  readonly to: string;
}

/** The tables of a schema, each before those that it refers to, as rows can be removed from them. */
export async function tablesToEmpty(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<TenantTable>(findTables, [schema, ['r']]);
  const { rows: references } = await client.query<Reference>(
    `SELECT format('%I.%I', n.nspname, f.relname) AS "from", format('%I.%I', n.nspname, t.relname) AS "to"
     FROM pg_constraint k JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
     JOIN pg_namespace n ON n.oid = f.relnamespace
     WHERE k.contype = 'f' AND n.nspname = $1`,
    [schema],
  );
  return inOrder(
    rows.map(({ name }) => `${schema}.${name}`),
    references,
  );
}

/** Those first that nothing refers to any more. */
function inOrder(tables: readonly string[], references: readonly Reference[]): string[] {
  const left = new Set(tables);
  const ordered: string[] = [];
  while (left.size > 0) {
    const free = [...left].filter(
      (table) => !references.some(({ from, to }) => to === table && from !== to && left.has(from)),
    );
    if (free.length === 0) throw new Error(`tables refer to each other: ${[...left].join(', ')}`);
    for (const table of free) left.delete(table);
    ordered.push(...free);
  }
  return ordered;
}
