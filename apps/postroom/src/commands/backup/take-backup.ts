import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { StartError } from '../../start-error.js';
import { manifestFile, type BackupFile, type Manifest } from './manifest.js';
import { migrationsThere, sequences, storedTables, type StoredTable } from './stored-tables.js';

/**
 * Writes all tables, as they are at one moment, into a new folder.
 * @throws StartError when there is something in the folder
 */
export async function takeBackup(
  client: Client,
  folder: string,
  keys: readonly string[],
): Promise<Manifest> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new StartError(`"${folder}" is not empty.`);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const files: BackupFile[] = [];
  const takenAt = new Date().toISOString();
  for (const table of await storedTables(client)) files.push(await copyOut(client, folder, table));
  const manifest: Manifest = {
    ...{ format: 1, takenAt, keys, files },
    migrations: await migrationsThere(client),
    // After the rows: a number may be skipped, and is never given twice.
    sequences: await sequences(client),
  };
  await client.query('COMMIT');
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFile(join(folder, manifestFile), text, { mode: 0o600, flag: 'wx' });
  return manifest;
}

async function copyOut(client: Client, folder: string, table: StoredTable): Promise<BackupFile> {
  const { name, columns } = table;
  const path = `${name}.copy.gz`;
  const rows = client.query(copyTo(`COPY ${name} (${columns.join(', ')}) TO STDOUT`));
  await pipeline(rows, createGzip(), createWriteStream(join(folder, path), { mode: 0o600 }));
  const sha256 = await digestOf(join(folder, path));
  return { table: name, columns, path, rows: rows.rowCount, sha256 };
}

export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
