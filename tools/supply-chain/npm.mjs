import { execFile } from 'node:child_process';
import { machineEnv, root } from '../run/child.mjs';

/** For what is read from package-lock.json alone. apps/postroom depends on every service. */
export const ofTheLock = ['--package-lock-only', '--workspace', 'apps/postroom'];

/**
 * The JSON that a command of the machine's npm prints, also where it ends with an error: `npm audit` does
 * when it has found something.
 * @throws Error when it prints none
 */
export const npmJson = (args, folder = root) =>
  new Promise((resolve, reject) => {
    const settings = { cwd: folder, env: machineEnv(), maxBuffer: 64 * 2 ** 20, encoding: 'utf8' };
    execFile('npm', args, settings, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(`npm ${args[0]} printed no JSON: ${stderr}`, { cause: error }));
      }
    });
  });
