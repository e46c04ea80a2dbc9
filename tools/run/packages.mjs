import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finish, machineEnv, root, run } from './child.mjs';

/** Makes node_modules what package-lock.json says; costs 10 ms when it is already. */
export async function installPackages() {
  const wanted = await packagesOf('package-lock.json');
  if (!wanted) throw new Error('package-lock.json is missing or unreadable');
  const reason = difference(wanted, await packagesOf('node_modules/.package-lock.json'));
  if (!reason) return;

  console.log(`Installing the packages of package-lock.json (${reason}): about a minute.`);
  // Types, tests and Node itself are devDependencies: NODE_ENV=production must not leave them out.
  const install = ['ci', '--include=dev', '--loglevel=error'];
  // Told to stop, npm ci goes on for up to a minute; what it leaves half done is installed anew.
  const outcome = await run('npm', install, { env: machineEnv(), disposable: true });
  if (!outcome.ok) {
    console.error('npm ci did not finish: nothing was started.');
    await finish(outcome.code === 0 ? { code: 1 } : outcome);
  }
}

/** The second file is npm's own record of what it installed, written when all of it is in place. */
async function packagesOf(file) {
  try {
    return JSON.parse(await readFile(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function difference(wanted, installed) {
  if (!installed) return 'no finished installation';
  const stale = Object.entries(wanted).find(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return false;
    const found = installed[path];
    // Builds for other platforms are optional and stay out.
    if (!found) return !entry.optional && !entry.peer;
    return found.version !== entry.version || found.integrity !== entry.integrity;
  });
  return stale && `${stale[0].slice('node_modules/'.length)} differs`;
}
