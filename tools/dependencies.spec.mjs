import { builtinModules } from 'node:module';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './run/child.mjs';

const read = async (path) => JSON.parse(await readFile(join(root, path), 'utf8'));
const rootPackage = await read('package.json');
/** Folders whose packages no image holds: the console and the portal, which are built, suites, measurements, and their libraries. */
const isForChecks = (path) =>
  /^(apps\/(console|portal|e2e|bench)|libs\/(service-)?testing)\//.test(path);
const manifests = (await Array.fromAsync(glob('{apps,libs}/*/package.json', { cwd: root }))).filter(
  (path) => !isForChecks(path),
);

/** Packages that only specs use belong to the root, like every tool. */
const isForSpecs = (path) => /\.spec\.ts$|\/testing\/|\.d\.ts$/.test(path);
const imports =
  /\bfrom '([^'.][^']*)'|\bimport '([^'.][^']*)'|\b(?:import|resolve)\('([^'.][^']*)'/g;
const packageOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
const isOwn = (name) => name.startsWith('@postroom/');
const isBuiltIn = (name) => name.startsWith('node:') || builtinModules.includes(name);

async function importedBy(folder) {
  const found = new Set();
  for await (const path of glob(`${folder}/src/**/*.ts`, { cwd: root })) {
    if (isForSpecs(path)) continue;
    const text = await readFile(join(root, path), 'utf8');
    for (const [, ...groups] of text.matchAll(imports)) {
      const name = packageOf(groups.find(Boolean));
      if (/^(@[\w-]+\/)?[\w.-]+$/.test(name) && !isBuiltIn(name) && !isOwn(name)) found.add(name);
    }
  }
  return [...found].sort();
}

describe('third-party packages', () => {
  it.each(manifests)('are declared where they are imported: %s', async (path) => {
    const { dependencies = {}, optionalDependencies = {} } = await read(path);
    const declared = Object.entries({ ...dependencies, ...optionalDependencies }).filter(
      ([name]) => !isOwn(name),
    );
    const folder = path.slice(0, -'/package.json'.length);
    expect(declared.map(([name]) => name).sort()).toEqual(await importedBy(folder));
    // The root has the version of all of them.
    expect(declared.filter(([, version]) => version !== '*')).toEqual([]);
    const versions = { ...rootPackage.dependencies, ...rootPackage.devDependencies };
    expect(declared.filter(([name]) => !(name in versions))).toEqual([]);
  });
});
