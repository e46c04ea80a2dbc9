import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFiles } from './build.js';

/** The folder that the gateway serves. */
const folder = fileURLToPath(new URL('../dist/site', import.meta.url));

/** The packages of integrators, which a deployment gives in its own version: no registry has them. */
function packPrograms(into: string): void {
  const packages = ['sdk', 'cli'].flatMap((name) => ['--workspace', `@postroom/${name}`]);
  execFileSync('npm', ['pack', '--silent', ...packages, '--pack-destination', into], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const name of readdirSync(into))
    if (name.endsWith('.tgz'))
      renameSync(`${into}/${name}`, `${into}/${name.replace(/-\d.*/, '.tgz')}`);
}

const files = builtFiles();
rmSync(folder, { recursive: true, force: true });
for (const [path, content] of files) {
  mkdirSync(dirname(folder + path), { recursive: true });
  writeFileSync(folder + path, content);
}
packPrograms(`${folder}/docs`);
