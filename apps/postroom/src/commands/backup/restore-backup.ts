import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { StartError } from '../../start-error.js';
import { readManifest, requireSameMigrations, type BackupFile, type Manifest } from './manifest.js';
import { migrationsHere, migrationsThere, storedTables } from './stored-tables.js';
import { digestOf } from './take-backup.js';

/**
 * Fills a database that `prepare` has made, and that holds no workspace, in one transaction.
 * @param keys ids of the keyring that the services will have
 * @throws StartError before anything is changed when the backup is not whole, does not fit, or would overwrite
 */
export async function restoreBackup(
  client: Client,
  folder: string,
  keys: readonly string[] | null,
): Promise<Manifest> {
  const manifest = await readManifest(folder);
  requireSameMigrations(manifest.migrations, migrationsHere());
  requireSameMigrations(manifest.migrations, await migrationsThere(client));
  requireKeys(manifest, keys);
  for (const file of manifest.files) await requireWhole(folder, file);
  await requireEmpty(client);
  await client.query('BEGIN');
  try {
    // Rows come table by table: what refers to what holds when all are there, as it did before.
    await client.query('SET LOCAL session_replication_role = replica');
    const tables = (await storedTables(client)).map(({ name }) => name);
    await client.query(`TRUNCATE ${tables.join(', ')}`);
    // Numbers of another server's transactions mean nothing here: messages get that of this one (stamps.sql).
    await client.query('ALTER TABLE mail.messages ENABLE ALWAYS TRIGGER stamp_message');
    for (const file of manifest.files) await copyIn(client, folder, file);
    await client.query('ALTER TABLE mail.messages ENABLE TRIGGER stamp_message');
    for (const [name, last] of Object.entries(manifest.sequences)) {
      if (last !== null) await client.query('SELECT setval($1::regclass, $2)', [name, last]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
  return manifest;
}

function requireKeys({ keys: sealedWith }: Manifest, keys: readonly string[] | null): void {
  const missing = keys === null ? [] : sealedWith.filter((id) => !keys.includes(id));
  if (missing.length > 0) {
    throw new StartError(
      `SECRETS_KEYS lacks ${missing.join(', ')}, which secrets of this backup may be sealed with.`,
    );
  }
}

async function requireWhole(folder: string, { path, sha256 }: BackupFile): Promise<void> {
  const found = await digestOf(join(folder, path)).catch(() => null);
  if (found === sha256) return;
  const what = found === null ? 'is missing' : 'is not what was written';
  throw new StartError(`The backup is damaged: ${path} ${what}.`);
}

async function requireEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM access.tenants LIMIT 1');
  if (rows[0]) {
    throw new StartError(
      `The database has workspaces ("${rows[0].name}"). Restore into one that "prepare" has just made.`,
    );
  }
}

async function copyIn(client: Client, folder: string, file: BackupFile): Promise<void> {
  const { table, columns, path, rows } = file;
  const into = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  await pipeline(createReadStream(join(folder, path)), createGunzip(), into);
  if (into.rowCount !== rows) {
    throw new StartError(`${path} has ${into.rowCount} rows and should have ${rows}.`);
  }
}
