import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Programs } from './programs.js';
import { runProgram, type SystemUser } from './run-as.js';
import { SetupError } from '@postroom/service/setup-error';

interface NewCluster {
  readonly dataDir: string;
  /** The folder that holds the cluster: the data dir, or another one when its user cannot enter that. */
  readonly home: string;
  readonly programs: Programs;
  readonly user: SystemUser | undefined;
  /** Password of the superuser `postgres`. */
  readonly password: string;
  /** False for a server that is thrown away: nothing is synced to disk. */
  readonly durable: boolean;
  readonly log: (line: string) => void;
}

/**
 * Makes the cluster of a home: UTF-8, sorted by code point (C.UTF-8) unless a column says
 * otherwise, reached by password alone. An interrupted attempt leaves nothing that counts.
 */
export async function createCluster(options: NewCluster): Promise<void> {
  const { dataDir, home, programs, user, durable } = options;
  const reason = home === dataDir ? '' : `, because its system user cannot enter ${dataDir}`;
  options.log(`Making a PostgreSQL ${programs.major} database in ${home}/cluster${reason}.`);
  const unfinished = join(home, 'cluster.new');
  const passwordFile = join(home, 'cluster.password');
  const args = [
    `--pgdata=${unfinished}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--data-checksums',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  try {
    await writeFile(passwordFile, options.password, { mode: 0o600 });
    if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
    const failures: string[] = [];
    for (const locale of localesFor(programs.major)) {
      await rm(unfinished, { recursive: true, force: true });
      await mkdir(unfinished, { mode: 0o700 });
      if (user !== undefined) await chown(unfinished, user.uid, user.gid);
      const outcome = await runProgram(join(programs.folder, 'initdb'), [...args, ...locale], user);
      if (outcome.ok) return await rename(unfinished, join(home, 'cluster'));
      failures.push(outcome.stderr.trim());
    }
    throw new SetupError(
      `A database could not be made in ${home} with ${programs.folder}:\n${failures.join('\n')}`,
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * C.UTF-8 knows every script's letters and sorts by code point, alike on every machine: PostgreSQL
 * brings its own from version 17; before, the system's; where that has none (macOS), ICU's root.
 */
function localesFor(major: number): string[][] {
  const system = '--locale=C.UTF-8';
  const builtin = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const icu = ['--locale-provider=icu', '--icu-locale=und', '--locale=C'];
  if (major >= 17) return [[...builtin, system], [...builtin, '--locale=C'], icu];
  return [[system], icu];
}
