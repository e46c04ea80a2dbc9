import { storingServiceNames } from '@postroom/contracts';
import type { Client } from 'pg';
import { schemas } from '../../database.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '@postroom/local';

/** A file of a backup. */
export interface BackupFile {
  readonly table: string;
  readonly columns: readonly string[];
  readonly path: string;
  readonly rows: number;
  /** SHA-256 of the compressed bytes. */
  readonly sha256: string;
}

/** The description of a backup; it is written last. */
export interface Manifest {
  /** 1 today. */
  readonly format: number;
  readonly takenAt: string;
  /** By schema, the migrations that had run. */
  readonly migrations: Readonly<Record<string, readonly string[]>>;
  readonly sequences: Readonly<Record<string, string | null>>;
  /** Ids of the keys that secrets at rest may be sealed with; the keys are kept elsewhere. */
  readonly keys: readonly string[];
  readonly files: readonly BackupFile[];
}

export const manifestFile = 'manifest.json';

/** @throws SetupError when there is none: the backup was cut off, or it is something else */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => null);
  if (text === null) {
    throw new SetupError(
      `"${folder}" has no ${manifestFile}: the backup was cut off, or it is none.`,
    );
  }
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== 1)
    throw new SetupError(`"${folder}" is of a format that is not known here.`);
  return manifest;
}

/**
 * A backup fits the version that it was taken with, and no other.
 * @throws SetupError that says which of the two is newer
 */
export function requireSameMigrations(
  backup: Manifest['migrations'],
  here: Manifest['migrations'],
): void {
  const [before, after] = [backup, here].map((of) =>
    Object.entries(of).flatMap(([schema, names]) => names.map((name) => `${schema} ${name}`)),
  );
  const [missing] = (before ?? []).filter((one) => !after?.includes(one));
  const [further] = (after ?? []).filter((one) => !before?.includes(one));
  if (further !== undefined) {
    throw new SetupError(
      `The backup is of an older version, before the migration "${further}". Restore with the version ` +
        `that it was taken with, then ${missing === undefined ? upgrade : move}.`,
    );
  }
  if (missing !== undefined) {
    throw new SetupError(
      `The backup is of a newer version: here is no migration "${missing}". Restore with the version ` +
        'that it was taken with.',
    );
  }
}

const upgrade = 'upgrade: run the new "prepare"';
/** From a version with other init migrations there is no upgrade. */
const move = 'take its workspaces here with "workspace export" and "workspace import"';

/** The ids of a keyring's text, `id:key,id:key`. */
export const keyIds = (keyring: string): string[] =>
  keyring.split(',').map((entry) => entry.trim().split(':')[0] ?? '');

/** Schemas that are backed up: `blobs` holds bodies in transit, which nobody waits for after a restore. */
const keptSchemas: readonly string[] = storingServiceNames;

/** A table as COPY reads and writes it; a partition is one of its own. */
export interface StoredTable {
  /** `schema.table`. */
  readonly name: string;
  /** Without those that PostgreSQL generates. */
  readonly columns: readonly string[];
}

/** Tables that the job `prepare` writes, and a restore does not. */
const bookkeeping = ['migrations', 'sql_files'];

export async function storedTables(client: Client): Promise<StoredTable[]> {
  const { rows } = await client.query<StoredTable>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name,
       (SELECT json_agg(quote_ident(a.attname) ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY ($1) AND c.relkind = 'r' AND c.relname <> ALL ($2)
     ORDER BY 1`,
    [keptSchemas, bookkeeping],
  );
  return rows;
}

/** The last value of each sequence; null of one that was never asked. */
export async function sequences(client: Client): Promise<Record<string, string | null>> {
  const { rows } = await client.query<{ name: string; last: string | null }>(
    `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS last
     FROM pg_sequences WHERE schemaname = ANY ($1) ORDER BY 1`,
    [keptSchemas],
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** The migrations that have run, by schema, in their order. */
export async function migrationsThere(client: Client): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const schema of keptSchemas) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT name FROM ${schema}.migrations ORDER BY name`,
    );
    found[schema] = rows.map(({ name }) => name);
  }
  return found;
}

/** The migrations of this version of the program. */
export const migrationsHere = (): Record<string, string[]> =>
  Object.fromEntries(
    schemas
      .filter(({ name }) => keptSchemas.includes(name))
      .map(({ name, migrations }) => [name, migrations.map((one) => one.name).toSorted()]),
  );
