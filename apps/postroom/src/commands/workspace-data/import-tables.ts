import { storingServiceNames } from '@postroom/contracts';
import type { Client } from 'pg';
import { SetupError } from '@postroom/service/setup-error';
import { leftOut } from './export-workspace.js';
import type { ImportFiles } from './import-files.js';
import { readTables } from './tenant-tables.js';

/** Rows of one statement at most, and characters. */
const batchRows = 200;
const batchLength = 4 * 1024 * 1024;

/**
 * Tables of an export that an import leaves out: sign-ins and connections, whose secrets are not exported, proofs
 * and chains, which hold only where they were made, and work that was under way.
 */
const notImported: ReadonlySet<string> = new Set([
  ...['access.keys', 'access.approvals', 'access.refused_writes', 'access.audit_entries'],
  ...['mail.domains', 'mail.imports', 'scheduling.calendar_feeds'],
  ...['webhooks.subscriptions', 'webhooks.events', 'webhooks.deliveries', 'webhooks.attempts'],
]);

/** Files that are no tables: see `import-mail.ts`. */
const others: ReadonlySet<string> = new Set(['mail.originals']);

/** By table, columns that are of the new place, as SQL. */
type Anew = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Puts the rows of an export into the tables that they are of, as they are, but for the workspace's name.
 * @returns how many of each
 * @throws SetupError for a file or a column that no export has: an import may not bring sessions, audit records or passwords
 */
export async function importTables(
  client: Client,
  files: ImportFiles,
  name: string,
): Promise<Record<string, number>> {
  const anew: Anew = {
    // Its audit begins here.
    'access.tenants': { name: client.escapeLiteral(name), audit_begun: 'false' },
    // Numbers of another database's transactions mean nothing here.
    'mail.messages': { kept_by: 'pg_current_xact_id()::text::bigint' },
  };
  const imported: Record<string, number> = {};
  // Whatever the files say: nothing of a workspace that is here already.
  const own = { tenant_id: client.escapeLiteral(files.workspace.id) };
  const exported = await exportedColumns(client);
  for (const { path } of files.files) {
    const [, schema = '', relation = ''] = /^([a-z]+)\/([a-z_]+)\.ndjson$/.exec(path) ?? [];
    const table = `${schema}.${relation}`;
    if (relation === '' || others.has(table)) continue;
    const columns = exported.get(table);
    if (!columns) throw new SetupError(`${path} is in no export of this version.`);
    if (notImported.has(table)) continue;
    imported[table] = await importTable(client, { table, columns }, files.lines(path), {
      ...anew[table],
      ...own,
    });
  }
  return imported;
}

/** A table as an export has it. */
interface Exported {
  readonly table: string;
  readonly columns: readonly string[];
}

/** By table, the columns that an export has. */
async function exportedColumns(client: Client): Promise<Map<string, readonly string[]>> {
  const columns = new Map<string, readonly string[]>();
  for (const schema of storingServiceNames) {
    for (const table of await readTables(client, schema))
      if (!leftOut.has(table.name)) columns.set(`${schema}.${table.name}`, table.columns);
  }
  return columns;
}

async function importTable(
  client: Client,
  to: Exported,
  lines: AsyncIterable<string>,
  anew: Anew[string],
): Promise<number> {
  let [insert, length, rows] = ['', 0, 0];
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    const { rowCount } = await client.query(insert, [`[${batch.join(',')}]`]);
    rows += rowCount ?? 0;
    [batch, length] = [[], 0];
  };
  for await (const line of lines) {
    insert ||= await insertInto(client, to, Object.keys(JSON.parse(line) as object), anew);
    batch.push(line);
    length += line.length;
    if (batch.length >= batchRows || length >= batchLength) await flush();
  }
  if (batch.length > 0) await flush();
  return rows;
}

/** @throws SetupError for a column that no export has */
async function insertInto(
  client: Client,
  { table, columns: known }: Exported,
  given: readonly string[],
  anew: Anew[string],
): Promise<string> {
  const unknown = given.find((column) => !known.includes(column));
  if (unknown !== undefined)
    throw new SetupError(`${table}.${unknown} is in no export of this version.`);
  if (!given.includes('tenant_id'))
    throw new SetupError(`The rows of ${table} are of no workspace.`);
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND (attgenerated <> '' OR attidentity <> '')`,
    [table],
  );
  const made = new Set(rows.map(({ name }) => name));
  const columns = given.filter((column) => !made.has(column));
  const values = columns.map((column) => anew[column] ?? `r."${column}"`);
  return `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(', ')})
    SELECT ${values.join(', ')} FROM json_populate_recordset(NULL::${table}, $1::json) r`;
}
