import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { finish, machineEnv, root, run } from './child.mjs';

const home = join(root, 'node_modules', 'node');
const binary = join(home, 'bin', 'node');

/**
 * Path of the Node that the lock file pins. Its package fetches the binary in an install script;
 * where npm is told to ignore those, that script is run here, for this one package.
 */
export async function projectNode() {
  if (existsSync(binary)) return binary;
  console.log("Fetching the project's Node: npm was told to ignore install scripts.");
  const outcome = await run(process.execPath, ['installArchSpecificPackage.js'], {
    cwd: home,
    env: { ...machineEnv(), npm_config_ignore_scripts: 'false' },
    disposable: true,
  });
  if (outcome.ok && existsSync(binary)) return binary;
  console.error(`The project's Node is missing (${binary}), and its installer failed.`);
  return finish({ code: 1 });
}
