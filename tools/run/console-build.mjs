import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './child.mjs';

const folder = join(root, 'apps/console');

/** False while the console's page is as new as what it is made of. Runs on any Node from 20 on. */
export function consoleIsStale() {
  const made = timeOf(join(folder, 'dist/page/manifest.json'));
  const sources = readdirSync(join(folder, 'src'), { recursive: true }).map(
    (name) => `src/${name}`,
  );
  const others = ['index.html', 'package.json', 'vite.config.mjs'];
  const packages = timeOf(join(root, 'node_modules/.package-lock.json'));
  return (
    packages > made || [...sources, ...others].some((path) => timeOf(join(folder, path)) > made)
  );
}

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
