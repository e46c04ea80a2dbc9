import { setTimeout as sleep } from 'node:timers/promises';
import { schemaNames } from '@postroom/contracts';
import { Client } from 'pg';
import { findAdministrator, findDatabase } from '../../database.js';
import { loadPostroomConfig } from '../../load-config.js';
import { SetupError } from '@postroom/service/setup-error';
import { requireUnbound, tablesToEmpty } from './tenant-tables.js';
import { UsageError, type Command } from '../run-command.js';
import { findWorkspace } from './export-workspace.js';

/** Rows removed in one commit, so that no lock is held for long. */
const batchRows = 5_000;
/** Requests that were under way when its members and keys went may still write, and events may arrive. */
const settleMs = 3_000;
const roundsMax = 10;

/** Removes a workspace from every database. */
export const deleteWorkspace: Command = {
  words: ['workspace', 'delete'],
  needs: ['DATABASE_URL'],
  usage: `postroom workspace delete --name NAME --confirm NAME
    Removes everything of a workspace for good, its members and keys first, and prints a report as JSON:
    rows by table, and of its audit the length, the last hash, the times and the counts. It needs
    DATABASE_URL of an administrator whom no row-level security binds. Backups keep what they have.`,
  async run({ rest, options, env }) {
    const { name = '', confirm } = options;
    if (rest.length > 0 || name === '' || confirm !== name) throw new UsageError();
    const config = loadPostroomConfig(env);
    const id = await findWorkspace(await findDatabase(config, 'access'), name);
    const client = new Client({ connectionString: await findAdministrator(config) });
    await client.connect();
    try {
      await requireUnbound(client);
      const audit = await auditOf(client, id);
      const removed = await removeAll(client, id);
      const workspace = { id, name };
      const report = { workspace, deletedAt: new Date().toISOString(), removed, audit };
      return [JSON.stringify(report, null, 2)];
    } finally {
      await client.end();
    }
  },
};

/** All that stays of the audit. */
async function auditOf(client: Client, id: string): Promise<object> {
  const { rows: heads } = await client.query<{ length: string; last_hash: string }>(
    `SELECT length, encode(last_hash, 'hex') AS last_hash FROM access.audit_heads WHERE tenant_id = $1`,
    [id],
  );
  const { rows: times } = await client.query<{ first: Date | null; last: Date | null }>(
    'SELECT min(at) AS first, max(at) AS last FROM access.audit_entries WHERE tenant_id = $1',
    [id],
  );
  const { rows: counts } = await client.query<{ action: string; entries: number }>(
    `SELECT action, count(*)::int AS entries FROM access.audit_entries
     WHERE tenant_id = $1 GROUP BY action ORDER BY action`,
    [id],
  );
  return {
    length: Number(heads[0]?.length ?? 0),
    lastHash: heads[0]?.last_hash ?? null,
    first: times[0]?.first ?? null,
    last: times[0]?.last ?? null,
    entries: Object.fromEntries(counts.map(({ action, entries }) => [action, entries])),
  };
}

/** The table that the command finds the workspace by: emptied last, so that it can be run again after a failure. */
const lastTable = 'access.tenants';

/** Again and again until a round finds nothing. @throws SetupError when there is always something */
async function removeAll(client: Client, id: string): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (let round = 0; round < roundsMax; round += 1) {
    if (round > 0) await sleep(settleMs);
    const found = await removeOnce(client, id, removed);
    if (found > 0 || round === 0) continue;
    removed[lastTable] = await empty(client, lastTable, id);
    return removed;
  }
  throw new SetupError('Something keeps writing for this workspace. Run the command again.');
}

/** The schema `access` comes first: with its members and keys goes the right to write anything more. */
async function removeOnce(
  client: Client,
  id: string,
  removed: Record<string, number>,
): Promise<number> {
  let found = 0;
  for (const schema of schemaNames) {
    // Triggers find the tables of their schema so.
    await client.query(`SET search_path = ${schema}, public`);
    for (const table of await tablesToEmpty(client, schema)) {
      if (table === lastTable) continue;
      const rows = await empty(client, table, id);
      if (rows > 0) removed[table] = (removed[table] ?? 0) + rows;
      found += rows;
    }
  }
  return found;
}

async function empty(client: Client, table: string, id: string): Promise<number> {
  let removed = 0;
  for (;;) {
    const { rowCount } = await client.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table} WHERE tenant_id = $1 LIMIT ${batchRows})) AND tenant_id = $1`,
      [id],
    );
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < batchRows) return removed;
  }
}
