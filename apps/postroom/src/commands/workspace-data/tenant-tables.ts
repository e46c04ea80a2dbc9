import { connectClient, type Statement } from '@postroom/persistence';
import type { Client } from 'pg';
import { SetupError } from '@postroom/service/setup-error';

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

/** @throws SetupError when row-level security binds the user: it would see no rows, and remove none */
export async function requireUnbound(client: Client): Promise<void> {
  const { rows } = await client.query<{ unbound: boolean }>(
    'SELECT rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = current_user',
  );
  if (rows[0]?.unbound !== true) {
    throw new SetupError(
      'The user of DATABASE_URL sees no rows of workspaces: it has to be a superuser or BYPASSRLS.',
    );
  }
}

/** Rows of a page. */
const pageRows = 500;

/** One workspace in one schema at one moment, however much is written meanwhile. */
export class TenantSnapshot {
  private constructor(
    readonly client: Client,
    private readonly tenantId: string,
  ) {}

  /** @param url of the service's role, which sees the rows of one workspace alone */
  static async open(url: string, schema: string, tenantId: string): Promise<TenantSnapshot> {
    const options = `-c search_path=${schema},public -c TimeZone=UTC`;
    const client = await connectClient(url, { options });
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SELECT set_config('postroom.tenant', $1, true)`, [tenantId]);
    return new TenantSnapshot(client, tenantId);
  }

  /** As a service's own reads have it: the first parameter is the workspace. */
  readonly rows = async <R extends object>(
    { text }: Statement<R>,
    values: readonly unknown[],
  ): Promise<R[]> => (await this.client.query<R>(text, [this.tenantId, ...values])).rows;

  /** Page by page, so that memory does not grow with the workspace. */
  async *pages<R extends object>(text: string): AsyncGenerator<R[]> {
    await this.client.query(`DECLARE pages NO SCROLL CURSOR FOR ${text}`);
    for (;;) {
      const { rows } = await this.client.query<R>(`FETCH FORWARD ${pageRows} FROM pages`);
      if (rows.length === 0) break;
      yield rows;
    }
    await this.client.query('CLOSE pages');
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
