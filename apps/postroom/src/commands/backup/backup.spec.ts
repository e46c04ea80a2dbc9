import { access, appendFile, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type SchemaName } from '@postroom/contracts';
import { connectAccess, openWorkspace } from '@postroom/gateway';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { schemas } from '../../database.js';
import { backup, restore } from './backup.js';
import { requireSameMigrations, requireTables, type Manifest } from './manifest.js';

const keyOf = (id: string): string => `${id}:${Buffer.alloc(32, 1).toString('base64')}`;

describe('postroom backup and restore', () => {
  let folder: string;
  let original: TestDatabase<SchemaName>;
  let fresh: TestDatabase<SchemaName>;
  const clients: Client[] = [];

  const connected = async ({ adminUrl }: TestDatabase<SchemaName>): Promise<Client> => {
    const client = new Client({ connectionString: adminUrl });
    await client.connect();
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-backup-'));
    original = await createTestDatabase(schemas);
    fresh = await createTestDatabase(schemas);
    const gateway = await connectAccess(original.urls.access);
    for (const name of ['one', 'other'])
      await openWorkspace(gateway, {
        name,
        adminEmail: `a@${name}.test`,
        adminName: 'Zoé \\ "A"\n',
      });
    await gateway.close();
    const admin = await connected(original);
    // More than a page, with everything that a text may hold.
    await admin.query(
      `INSERT INTO mail.outbox (tenant_id, event_id, type, resource, sequence, envelope)
       SELECT $1, 'evn_' || n, 'conversation.commented', 'cnv_' || n % 7, n, E'tab\\t, line\\n, \\\\ and é ' || n
       FROM generate_series(1, 3000) n`,
      [newId('ten')],
    );
    // The number of a transaction that a new server has not come to.
    await admin.query('SET session_replication_role = replica');
    await admin.query(
      `INSERT INTO mail.messages (tenant_id, id, mailbox_id, conversation_id, direction, sender, recipients, cc,
         bcc, reply_to, subject, preview, has_remote_content, received_at, reference_ids, is_auto_reply, bounce,
         auth, size_bytes, parsed, kept_by)
       VALUES ($1, 'msg_1', 'mbx_1', 'cnv_1', 'inbound', '{}', '[]', '[]', '[]', '[]', '', '', false, now(),
         '{}', false, false, '{}', 0, true, $2)`,
      [newId('ten'), String(2n ** 40n)],
    );
    await admin.query('SET session_replication_role = origin');
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await original.drop();
    await fresh.drop();
    await rm(folder, { recursive: true });
  });

  const env = ({ adminUrl }: TestDatabase<SchemaName>, keys = keyOf('k1')): NodeJS.ProcessEnv => ({
    DATABASE_URL: adminUrl,
    SECRETS_KEYS: keys,
    POSTROOM_DATA_DIR: join(folder, 'nothing'),
  });
  const take = (to: string) => backup.run({ rest: [], options: { to }, env: env(original) });
  const fill = (from: string, keys?: string) =>
    restore.run({ rest: [], options: { from }, env: env(fresh, keys) });

  /** Every row of every table, and the sequences; of messages without the number of their transaction. */
  async function contentOf(database: TestDatabase<SchemaName>): Promise<unknown> {
    const admin = await connected(database);
    const { rows: tables } = await admin.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname = ANY ($1) AND tablename <> ALL ($2) ORDER BY 1`,
      [
        ['access', 'mail', 'directory', 'scheduling', 'webhooks'],
        ['migrations', 'sql_files'],
      ],
    );
    const found: Record<string, unknown> = {};
    for (const { name } of tables) {
      const { rows } = await admin.query<{ text: string | null }>(
        `SELECT string_agg(row::text, E'\\n' ORDER BY row::text) AS text
         FROM (SELECT to_jsonb(t) - 'kept_by' AS row FROM ${name} t) rows`,
      );
      if (rows[0]?.text != null) found[name] = rows[0].text;
    }
    const { rows: sequences } = await admin.query(
      `SELECT schemaname, sequencename, last_value FROM pg_sequences
       WHERE schemaname <> 'blobs' ORDER BY 1, 2`,
    );
    return { found, sequences };
  }

  it('brings every row and sequence back into a new database', async () => {
    const to = join(folder, 'whole');
    expect(await take(to)).toEqual([
      expect.stringMatching(/^\d{4} rows of \d+ tables, as they were/),
    ]);
    const manifest = JSON.parse(await readFile(join(to, 'manifest.json'), 'utf8')) as Manifest;
    expect(manifest.keys).toEqual(['k1']);
    expect(JSON.stringify(manifest)).not.toContain(keyOf('k1').slice(3));
    expect(await fill(to)).toEqual([
      expect.stringMatching(/^\d{4} rows of \d+ tables are as they were/),
    ]);
    expect(await contentOf(fresh)).toEqual(await contentOf(original));
    await expect(fill(to)).rejects.toThrow('The database has workspaces ("one")');
    const admin = await connected(fresh);
    const { rows } = await admin.query(
      'SELECT kept_by < pg_current_xact_id()::text::bigint AS "isOfThisServer" FROM mail.messages',
    );
    expect(rows).toEqual([{ isOfThisServer: true }]);
    await admin.query('TRUNCATE access.tenants CASCADE');
  });

  it('refuses one that was cut off, that was changed, or that lacks a file', async () => {
    const to = join(folder, 'cut');
    await take(to);
    const manifest = await readFile(join(to, 'manifest.json'), 'utf8');
    await unlink(join(to, 'manifest.json'));
    await expect(fill(to)).rejects.toThrow('has no manifest.json: the backup was cut off');
    await writeFile(join(to, 'manifest.json'), manifest);
    await appendFile(join(to, 'mail.outbox.copy.gz'), 'x');
    await expect(fill(to)).rejects.toThrow('mail.outbox.copy.gz is not what was written');
    await unlink(join(to, 'mail.outbox.copy.gz'));
    await expect(fill(to)).rejects.toThrow('mail.outbox.copy.gz is missing');
    await expect(take(to)).rejects.toThrow('is not empty');
  });

  it('runs nothing that a changed manifest says', async () => {
    const to = join(folder, 'whole');
    const path = join(to, 'manifest.json');
    const before = await readFile(path, 'utf8');
    const ran = join(folder, 'ran');
    for (const [from, into] of [
      ['"mail.outbox"', JSON.stringify(`mail.outbox FROM PROGRAM 'touch ${ran}' --`)],
      ['"event_id"', JSON.stringify(`event_id) FROM PROGRAM 'touch ${ran}' --`)],
      [/"mac": "../, '"mac": "'],
      [/,\s*"mac": "\w+"/, ''],
    ] as const) {
      await writeFile(path, before.replace(from, into));
      await expect(fill(to)).rejects.toThrow('was changed, or signed with other keys');
    }
    await writeFile(path, before);
    await expect(access(ran)).rejects.toThrow('ENOENT');
  });

  it('takes tables, columns and sequences from the schema alone', () => {
    const tables = [{ name: 'mail.outbox', columns: ['a', 'b'] }];
    const [file] = tables.map(({ name, columns }) => ({
      table: name,
      columns,
      rows: 0,
      sha256: '',
    }));
    const manifest = { files: [file], sequences: { 'mail.s': '7' } } as unknown as Manifest;
    const check = (wrong: object) => () => {
      requireTables({ ...manifest, ...wrong }, tables, ['mail.s']);
    };
    expect(check({})).not.toThrow();
    expect(check({ sequences: {} })).not.toThrow();
    for (const wrong of [
      { files: [] },
      { files: [file, file] },
      { files: [{ ...file, table: 'mail.outbox; DROP' }] },
      { files: [{ ...file, columns: ['a', 'b) FROM PROGRAM'] }] },
      { sequences: { 'pg_catalog.s': '1' } },
      { sequences: { 'mail.s': '1; DROP' } },
    ])
      expect(check(wrong)).toThrow('is not that of the schema here');
  });

  it('refuses a keyring without the keys of the backup', async () => {
    await expect(fill(join(folder, 'whole'), keyOf('k2'))).rejects.toThrow('SECRETS_KEYS lacks k1');
  });

  it('refuses a newer and an older version, and says which it is', () => {
    const here = { mail: ['A1', 'B2'], access: ['C3'] };
    expect(() => requireSameMigrations(here, here)).not.toThrow();
    expect(() => requireSameMigrations({ ...here, mail: ['A1', 'B2', 'D4'] }, here)).toThrow(
      'The backup is of a newer version: here is no migration "mail D4"',
    );
    expect(() => requireSameMigrations({ ...here, mail: ['A1'] }, here)).toThrow(
      'The backup is of an older version, before the migration "mail B2"',
    );
    expect(() => requireSameMigrations({ ...here, mail: ['A0'] }, here)).toThrow(
      /^The backup is of an older version, before the migration "mail A1"\. .* "workspace export"/,
    );
  });

  it('is of one moment, though it is written meanwhile', async () => {
    const admin = await connected(original);
    const both = `INSERT INTO mail.outbox (tenant_id, event_id, type, resource, sequence, envelope)
      VALUES ('ten_x', $1, 'conversation.commented', 'cnv_x', $2, '')`;
    const writing = new AbortController();
    const writer = (async () => {
      for (let n = 1; !writing.signal.aborted; n += 1) {
        await admin.query('BEGIN');
        await admin.query(both, [`evn_a${n}`, 2 * n]);
        await admin.query(both, [`evn_b${n}`, 2 * n + 1]);
        await admin.query('COMMIT');
      }
    })();
    const to = join(folder, 'busy');
    await take(to);
    writing.abort();
    await writer;
    const { files } = JSON.parse(await readFile(join(to, 'manifest.json'), 'utf8')) as Manifest;
    const rows = files.find(({ table }) => table === 'mail.outbox')?.rows ?? 1;
    expect(rows % 2).toBe(0);
    await fill(to);
  });

  it('asks for a user whom no row-level security binds', async () => {
    const DATABASE_URL = original.urls.mail;
    const asked = backup.run({
      rest: [],
      options: { to: join(folder, 'bound') },
      env: { ...env(original), DATABASE_URL },
    });
    await expect(asked).rejects.toThrow('has to be a superuser or BYPASSRLS');
  });
});
