import { chmod, mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { canEnter, type SystemUser } from './run-as.js';
import { codeOf, SetupError } from '@postroom/service/setup-error';

/**
 * The content of `<data dir>/postgres.json` (mode 600) about the installation's server.
 *
 * `home` is the folder that holds its files (`cluster/`, and `programs/` when they had to be
 * copied): `.` for the data dir itself, or, when the user that PostgreSQL runs as cannot enter the
 * data dir, an absolute path elsewhere. A home elsewhere names its data dir in `belongs-to`.
 */
export interface Installation {
  readonly home: string;
  /** Password of the superuser `postgres`. */
  readonly password: string;
  /** The origin of the programs that made the cluster. */
  readonly origin: 'local' | 'embedded';
}

/** The record of a data dir, or undefined before its first start. */
export async function readInstallation(dataDir: string): Promise<Installation | undefined> {
  const file = join(dataDir, 'postgres.json');
  try {
    const record: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (isInstallation(record)) return record;
    throw new Error('not a record of an installation');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new SetupError(
      `${file} cannot be read. It holds the password of the database and says where it is: ` +
        'restore it from a backup.',
      { cause: error },
    );
  }
}

const isInstallation = (record: unknown): record is Installation =>
  typeof record === 'object' &&
  record !== null &&
  ['home', 'password'].every((name) => typeof Reflect.get(record, name) === 'string') &&
  ['local', 'embedded'].includes(String(Reflect.get(record, 'origin')));

/** Writes the record, whole or not at all. */
export async function writeInstallation(dataDir: string, record: Installation): Promise<void> {
  const file = join(dataDir, 'postgres.json');
  const text = `${JSON.stringify(record, null, 2)}\n`;
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

/**
 * Chooses the home of a new installation: the data dir, or for root, when the server's user cannot
 * enter it (a clone under `/root`), a new folder under `/var/lib/postroom`, which survives a
 * restart of the machine; for a server that is thrown away, the system's temporary folder.
 */
export async function chooseHome(
  dataDir: string,
  user: SystemUser | undefined,
  durable: boolean,
): Promise<string> {
  if (user === undefined || (await canEnter(user, dataDir))) return '.';
  const parent = durable ? '/var/lib/postroom' : tmpdir();
  const made = await mkdir(parent, { recursive: true });
  if (made !== undefined) await chmod(parent, 0o711);
  const home = await mkdtemp(join(parent, `${basename(dataDir)}-`));
  await chmod(home, 0o711);
  if (!(await canEnter(user, home))) {
    throw new SetupError(
      `The system user ${user.uid}, as which PostgreSQL has to run, can enter neither ${dataDir} ` +
        `nor ${home}. Let it through one of them (chmod o+x), or set DATABASE_URL.`,
    );
  }
  await writeFile(join(home, 'belongs-to'), dataDir);
  return home;
}

/**
 * The home's path, once it is certain that it is this data dir's: a copied data dir names the same
 * home as its original, and would take the database over.
 */
export async function claimHome(dataDir: string, home: string): Promise<string> {
  if (home === '.') return dataDir;
  const deed = join(home, 'belongs-to');
  const owner = await readFile(deed, 'utf8').catch((error: unknown) => {
    throw new SetupError(
      `The database of ${dataDir} is kept in ${home}, which is missing or cannot be read. ` +
        `Restore it, or delete ${join(dataDir, 'postgres.json')} to begin with an empty database.`,
      { cause: error },
    );
  });
  if (owner === dataDir) return home;
  if ((await readInstallation(owner))?.home === home) {
    throw new SetupError(
      `${dataDir} is a copy of ${owner}, whose database is kept in ${home}. ` +
        `Delete ${join(dataDir, 'postgres.json')} to begin with an empty database.`,
    );
  }
  await writeFile(deed, dataDir);
  return home;
}
