import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Keyring } from '@postroom/access';
import { SetupError } from '@postroom/service/setup-error';
import {
  type BackupFile,
  fileOf,
  format,
  type Manifest,
  manifestFile,
  migrationsHere,
  migrationsThere,
  readManifest,
  requireSameMigrations,
  requireTables,
  sequences,
  signedText,
  type StoredTable,
  storedTables,
} from './manifest.js';
import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';

/**
 * Writes all tables, as they are at one moment, into a new folder.
 * @throws SetupError when there is something in the folder
 */
export async function takeBackup(
  client: Client,
  folder: string,
  keyring: string,
): Promise<Manifest> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new SetupError(`"${folder}" is not empty.`);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const files: BackupFile[] = [];
  const takenAt = new Date().toISOString();
  for (const table of await storedTables(client)) files.push(await copyOut(client, folder, table));
  const manifest: Manifest = {
    ...{ format, takenAt, files },
    keys: Keyring.parse(keyring).ids,
    migrations: await migrationsThere(client),
    // After the rows: a number may be skipped, and is never given twice.
    sequences: await sequences(client),
  };
  await client.query('COMMIT');
  const text = signedText(manifest, keyring);
  await writeFile(join(folder, manifestFile), text, { mode: 0o600, flag: 'wx' });
  return manifest;
}

async function copyOut(client: Client, folder: string, table: StoredTable): Promise<BackupFile> {
  const { name, columns } = table;
  const path = join(folder, fileOf(name));
  const rows = client.query(copyTo(`COPY ${name} (${columns.join(', ')}) TO STDOUT`));
  await pipeline(rows, createGzip(), createWriteStream(path, { mode: 0o600 }));
  return { table: name, columns, rows: rows.rowCount, sha256: await digestOf(path) };
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/**
 * Fills a database that `prepare` has made, and that holds no workspace, in one transaction.
 * @param keyring that the services will have
 * @throws SetupError before anything is changed when the backup is not whole, does not fit, or would overwrite
 */
export async function restoreBackup(
  client: Client,
  folder: string,
  keyring: string,
): Promise<Manifest> {
  const manifest = await readManifest(folder, keyring);
  requireSameMigrations(manifest.migrations, migrationsHere());
  requireSameMigrations(manifest.migrations, await migrationsThere(client));
  const tables = await storedTables(client);
  requireTables(manifest, tables, Object.keys(await sequences(client)));
  for (const file of manifest.files) await requireWhole(folder, file);
  await requireEmpty(client);
  await client.query('BEGIN');
  try {
    // Rows come table by table: what refers to what holds when all are there, as it did before.
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`);
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

async function requireWhole(folder: string, { table, sha256 }: BackupFile): Promise<void> {
  const path = fileOf(table);
  const found = await digestOf(join(folder, path)).catch(() => null);
  if (found === sha256) return;
  const what = found === null ? 'is missing' : 'is not what was written';
  throw new SetupError(`The backup is damaged: ${path} ${what}.`);
}

async function requireEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM access.tenants LIMIT 1');
  if (rows[0]) {
    throw new SetupError(
      `The database has workspaces ("${rows[0].name}"). Restore into one that "prepare" has just made.`,
    );
  }
}

async function copyIn(client: Client, folder: string, file: BackupFile): Promise<void> {
  const { table, columns, rows } = file;
  const path = fileOf(table);
  const into = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  await pipeline(createReadStream(join(folder, path)), createGunzip(), into);
  if (into.rowCount !== rows) {
    throw new SetupError(`${path} has ${into.rowCount} rows and should have ${rows}.`);
  }
}
