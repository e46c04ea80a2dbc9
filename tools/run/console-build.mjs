import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './child.mjs';

const folder = join(root, 'apps/console');

/** False while the console's page is as new as what it is made of. */
export function consoleIsStale() {
  const made = timeOf(join(folder, 'dist/page/manifest.json'));
  const sources = globSync('{index.html,vite.config.mjs,package.json,public/**,src/**}', {
    cwd: folder,
  });
  const packages = timeOf(join(root, 'node_modules/.package-lock.json'));
  return packages > made || sources.some((path) => timeOf(join(folder, path)) > made);
}

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
