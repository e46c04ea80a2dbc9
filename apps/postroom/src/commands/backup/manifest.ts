import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../start-error.js';

/** A file of a backup. */
export interface BackupFile {
  readonly table: string;
  readonly columns: readonly string[];
  readonly path: string;
  readonly rows: number;
  /** Of the compressed bytes. */
  readonly sha256: string;
}

/** What a backup says of itself; it is written last. */
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

/** @throws StartError when there is none: the backup was cut off, or it is something else */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => null);
  if (text === null) {
    throw new StartError(
      `"${folder}" has no ${manifestFile}: the backup was cut off, or it is none.`,
    );
  }
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== 1)
    throw new StartError(`"${folder}" is of a format that is not known here.`);
  return manifest;
}

/**
 * A backup fits the version that it was taken with, and no other.
 * @throws StartError that says which of the two is newer
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
    throw new StartError(
      `The backup is of an older version, before the migration "${further}". Restore with the version ` +
        `that it was taken with, then ${missing === undefined ? upgrade : move}.`,
    );
  }
  if (missing !== undefined) {
    throw new StartError(
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
