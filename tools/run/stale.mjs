import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './child.mjs';

const packages = 'node_modules/.package-lock.json';

/** False while the console's page is as new as what it is made of. Runs on any Node from 20 on. */
export const consoleIsStale = () =>
  isStale('apps/console/dist/page/manifest.json', [
    ...['src', 'index.html', 'package.json', 'vite.config.mjs'].map((one) => `apps/console/${one}`),
    packages,
  ]);

/** The same of the portal's pages. */
export const portalIsStale = () =>
  isStale('apps/portal/dist/site/llms.txt', [
    ...['apps/portal/src', 'apps/portal/assets', 'libs/contracts/src', 'libs/contracts/examples'],
    ...['apps/cli/src', 'libs/sdk/src', 'docs', 'CHANGELOG.md', packages],
  ]);

/** True if one of these files, or one in these folders, is newer than what is made of them. */
function isStale(made, sources) {
  const madeMs = timeOf(made);
  return sources.flatMap(withFiles).some((path) => timeOf(path) > madeMs);
}

function withFiles(path) {
  const entry = statSync(join(root, path), { throwIfNoEntry: false });
  if (!entry?.isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true }).map((name) => `${path}/${name}`);
}

const timeOf = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
