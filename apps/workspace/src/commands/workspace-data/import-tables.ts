import type { Client } from 'pg';
import { StartError } from '../../start-error.js';
import type { ImportFiles } from './import-files.js';

/** Rows of one statement at most, and characters. */
const batchRows = 200;
const batchLength = 4 * 1024 * 1024;

/**
 * What an export has, and a new place does not take over: what signs in or speaks to others has no secret there, a
 * proof or a chain holds where it was made, and what was under way has ended.
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
  for (const { path } of files.files) {
    const [, schema = '', relation = ''] = /^([a-z]+)\/([a-z_]+)\.ndjson$/.exec(path) ?? [];
    const table = `${schema}.${relation}`;
    if (relation === '' || notImported.has(table) || others.has(table)) continue;
    imported[table] = await importTable(client, table, files.lines(path), {
      ...anew[table],
      ...own,
    });
  }
  return imported;
}

async function importTable(
  client: Client,
  table: string,
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
    insert ||= await insertInto(client, table, Object.keys(JSON.parse(line) as object), anew);
    batch.push(line);
    length += line.length;
    if (batch.length >= batchRows || length >= batchLength) await flush();
  }
  if (batch.length > 0) await flush();
  return rows;
}

/** @throws StartError for a table or a column that is not here */
async function insertInto(
  client: Client,
  table: string,
  exported: readonly string[],
  anew: Anew[string],
): Promise<string> {
  const { rows } = await client.query<{ name: string; made: boolean }>(
    `SELECT attname AS name, attgenerated <> '' OR attidentity <> '' AS made FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  const here = new Map(rows.map(({ name, made }) => [name, made]));
  const unknown = exported.find((column) => !here.has(column));
  if (unknown !== undefined)
    throw new StartError(`The export is of another version: here is no ${table}.${unknown}.`);
  if (!exported.includes('tenant_id'))
    throw new StartError(`The rows of ${table} are of no workspace.`);
  const columns = exported.filter((column) => here.get(column) === false);
  const values = columns.map((column) => anew[column] ?? `r."${column}"`);
  return `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(', ')})
    SELECT ${values.join(', ')} FROM json_populate_recordset(NULL::${table}, $1::json) r`;
}
