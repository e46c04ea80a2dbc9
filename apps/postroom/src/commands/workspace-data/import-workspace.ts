import { Client } from 'pg';
import { SetupError } from '@postroom/service/setup-error';
import { findAdministrator } from '../../database.js';
import { loadPostroomConfig } from '../../load-config.js';
import { requireUnbound } from './tenant-tables.js';
import { UsageError, type Command } from '../run-command.js';
import { ImportFiles } from './import-files.js';
import { importOriginals, indexMessages } from './import-mail.js';
import { importTables } from './import-tables.js';

/** Brings a workspace into an installation that does not have it. */
export const importWorkspace: Command = {
  words: ['workspace', 'import'],
  needs: ['DATABASE_URL'],
  usage: `postroom workspace import --from FOLDER [--name NAME]
    Brings what "workspace export" has written into an installation that "prepare" of the same version has
    made, in one commit, under the same ids, and under another name if one is given. What it holds already
    stays as it is. Keys, passwords, mail servers, webhooks and proofs of domains are made anew:
    "workspace create" prints a link for an administrator. It needs DATABASE_URL of a superuser.`,
  async run({ rest, options, env }) {
    const { from = '', name } = options;
    if (rest.length > 0 || from === '' || name === '') throw new UsageError();
    const files = await ImportFiles.in(from);
    const wanted = name ?? files.workspace.name;
    const client = new Client({
      connectionString: await findAdministrator(loadPostroomConfig(env)),
      options: '-c TimeZone=UTC',
    });
    await client.connect();
    try {
      await requireUnbound(client);
      if (await isHere(client, files.workspace.id, wanted))
        return [`The workspace "${wanted}" is here already; nothing was changed.`];
      const imported = await inOneCommit(client, () => importAll(client, files, wanted));
      return Object.entries(imported).map(([what, rows]) => `${what}: ${rows}`);
    } finally {
      await client.end();
    }
  },
};

/** @throws SetupError when another workspace has the name, or this one has another */
async function isHere(client: Client, id: string, name: string): Promise<boolean> {
  const { rows } = await client.query<{ id: string; name: string }>(
    'SELECT tenant_id AS id, name FROM access.tenants WHERE tenant_id = $1 OR name = $2',
    [id, name],
  );
  for (const found of rows) {
    if (found.id !== id)
      throw new SetupError(`Another workspace is named "${name}": give a --name.`);
    if (found.name !== name)
      throw new SetupError(`The workspace is here already, and is named "${found.name}".`);
  }
  return rows.length > 0;
}

async function importAll(
  client: Client,
  files: ImportFiles,
  name: string,
): Promise<Record<string, number>> {
  // Rows come file by file, as they were: what refers to what holds when all are there.
  await client.query('SET LOCAL session_replication_role = replica');
  const imported = await importTables(client, files, name);
  const originals = await importOriginals(client, files);
  await indexMessages(client, files.workspace.id);
  await countQuotas(client, files.workspace.id);
  return { ...imported, 'mail.raw_messages': originals };
}

async function inOneCommit<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const done = await work();
    await client.query('COMMIT');
    return done;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

const statements = [
  // A draft that was to be sent may have left where it was exported.
  `UPDATE mail.drafts SET send_state = 'failed', send_reason = 'IMPORTED', send_due = NULL, send_token = NULL
   WHERE tenant_id = $1 AND send_state IS NOT NULL`,
  `INSERT INTO mail.quota_counters (tenant_id, quota, amount)
   SELECT $1, 'drafts', count(*) FROM mail.drafts WHERE tenant_id = $1
   UNION ALL
   SELECT $1, 'comments', count(*) FROM mail.comments WHERE tenant_id = $1
   UNION ALL
   SELECT $1, 'storedBytes',
     (SELECT coalesce(sum(octet_length(raw)), 0) FROM mail.raw_messages WHERE tenant_id = $1) +
     (SELECT coalesce(sum(octet_length(bytes)), 0) FROM mail.draft_file_pieces WHERE tenant_id = $1) +
     (SELECT coalesce(sum(octet_length(name) + octet_length(key)), 0) FROM mail.labels WHERE tenant_id = $1)`,
  `INSERT INTO directory.quota_counters (tenant_id, quota, amount)
   SELECT $1, 'contacts', count(*) FROM directory.merged_contacts WHERE tenant_id = $1
   UNION ALL
   SELECT $1, 'storedBytes', sum(octet_length(bytes)) FROM directory.contact_photos
   WHERE tenant_id = $1 HAVING count(*) > 0`,
  `INSERT INTO scheduling.quota_counters (tenant_id, quota, amount)
   SELECT $1, 'events', count(*) FROM scheduling.calendar_events WHERE tenant_id = $1
   UNION ALL
   SELECT $1, 'tasks', count(*) FROM scheduling.tasks WHERE tenant_id = $1`,
];

/** Counts what triggers would have counted, had the rows of a workspace come one by one; scheduled drafts wait for their author. */
async function countQuotas(client: Client, tenantId: string): Promise<void> {
  for (const statement of statements) await client.query(statement, [tenantId]);
}
