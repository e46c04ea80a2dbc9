import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { SetupError } from '@postroom/service/setup-error';

/** The system user that PostgreSQL's programs run as when this process is root. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** The environment of the programs: nothing of the caller's but a place to find `sh` and `id`. */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };

/** The output of a program, and its success: it exited with 0. A program that cannot be started did not. */
interface Outcome {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, by default in `/`: a server user may be unable to enter the caller's folder. */
export const runProgram = (
  program: string,
  args: readonly string[],
  user?: SystemUser,
  cwd = '/',
): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(program, args, { cwd, env: environment, ...user }, (error, stdout, stderr) => {
      resolve({ ok: error === null, stdout, stderr: stderr || (error?.message ?? '') });
    });
  });

/**
 * The user that PostgreSQL runs as: this process's own (undefined), or for root another one, since
 * PostgreSQL refuses to run as root: `postgres` where it exists, else `nobody`. (It has to be a
 * named user: initdb looks its own up.)
 * @throws SetupError when root has no user to hand over to
 */
export async function serverUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([
      runProgram('id', ['-u', name]),
      runProgram('id', ['-g', name]),
    ]);
    const user = { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    if (uid.ok && gid.ok && (await runProgram('true', [], user)).ok) return user;
  }
  throw new SetupError(
    'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it as. ' +
      'Create one (useradd --system postgres), start Postroom as another user, or set DATABASE_URL.',
  );
}

/**
 * The owner of a cluster's folder, who alone may run a server on it.
 * @throws SetupError when this process may not act for that owner
 */
export async function ownerOf(cluster: string): Promise<SystemUser | undefined> {
  const { uid, gid } = await stat(cluster);
  if (process.getuid?.() === 0) return { uid, gid };
  if (process.getuid?.() === uid) return undefined;
  throw new SetupError(
    `The database in ${cluster} belongs to the system user ${uid}, most likely because Postroom ` +
      'was started as root before. Start it as root again, or give the folder to the present user.',
  );
}

/** A user can work in a folder if every folder above it lets the user through. */
export async function canEnter(user: SystemUser, folder: string): Promise<boolean> {
  return (await runProgram('sh', ['-c', 'cd "$1"', 'sh', folder], user)).ok;
}
