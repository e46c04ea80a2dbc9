import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Keyring, type DerivedKeys } from '@postroom/access';
import { storingServiceNames } from '@postroom/contracts';
import { SetupError } from '@postroom/service/setup-error';
import type { Client } from 'pg';
import { schemas } from '../../database.js';

/** A file of a backup. */
export interface BackupFile {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** SHA-256 of the compressed bytes. */
  readonly sha256: string;
}

/** The description of a backup; it is written last. */
export interface Manifest {
  /** {@link format} today. */
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
export const format = 2;

/** The file that has the rows of a table. */
export const fileOf = (table: string): string => `${table}.copy.gz`;

const textOf = (manifest: Manifest): string => JSON.stringify(manifest, null, 2);

const macOf = (manifest: Manifest, key: Buffer): Buffer =>
  createHmac('sha256', key).update(textOf(manifest)).digest();

const keysOf = (keyring: string): DerivedKeys => Keyring.parse(keyring).derive('backup-manifest');

/** The manifest as it is written, with its HMAC under a subkey of the keyring. */
export const signedText = (manifest: Manifest, keyring: string): string => {
  const mac = macOf(manifest, keysOf(keyring).current).toString('hex');
  return `${JSON.stringify({ ...manifest, mac }, null, 2)}\n`;
};

/**
 * Reads the manifest of a backup that this installation has taken: what it says decides which bytes become rows.
 * @throws SetupError when there is none (the backup was cut off, or it is something else), or when its HMAC is of
 *   no key of the ring
 */
export async function readManifest(folder: string, keyring: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => null);
  if (text === null) {
    throw new SetupError(
      `"${folder}" has no ${manifestFile}: the backup was cut off, or it is none.`,
    );
  }
  const { mac, ...manifest } = JSON.parse(text) as Manifest & { readonly mac?: unknown };
  if (manifest.format !== format)
    throw new SetupError(`"${folder}" is of a format that is not known here.`);
  requireKeys(manifest, keyring);
  const given = Buffer.from(typeof mac === 'string' ? mac : '', 'hex');
  const isOurs = keysOf(keyring).all.some((key) => {
    const expected = macOf(manifest, key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isOurs)
    throw new SetupError(`${manifestFile} in "${folder}" was changed, or signed with other keys.`);
  return manifest;
}

function requireKeys({ keys: sealedWith }: Manifest, keyring: string): void {
  const keys = Keyring.parse(keyring).ids;
  const missing = sealedWith.filter((id) => !keys.includes(id));
  if (missing.length > 0) {
    throw new SetupError(
      `SECRETS_KEYS lacks ${missing.join(', ')}, which secrets of this backup may be sealed with.`,
    );
  }
}

/**
 * Refuses what a schema does not have, so that no name of a manifest ever stands in a statement.
 * @throws SetupError
 */
export function requireTables(
  { files, sequences: numbers }: Manifest,
  tables: readonly StoredTable[],
  sequencesHere: readonly string[],
): void {
  const wrong =
    files.find(({ table, columns }) => {
      const here = tables.find(({ name }) => name === table);
      return !here || !isDeepStrictEqual(here.columns, columns);
    })?.table ??
    tables.find(({ name }) => !files.some(({ table }) => table === name))?.name ??
    Object.entries(numbers).find(
      ([name, last]) => !sequencesHere.includes(name) || !/^\d{1,19}$/.test(last ?? '0'),
    )?.[0];
  if (wrong !== undefined || files.length !== tables.length)
    throw new SetupError(`The backup's "${wrong ?? 'files'}" is not that of the schema here.`);
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

/** Schemas that are backed up: `blobs` holds bodies in transit, which have no reader after a restore. */
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
