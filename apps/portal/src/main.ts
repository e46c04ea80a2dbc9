import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFiles } from './build.js';

/** The folder that the gateway serves. */
const folder = fileURLToPath(new URL('../dist/site', import.meta.url));

const files = builtFiles();
rmSync(folder, { recursive: true, force: true });
for (const [path, content] of files) {
  mkdirSync(dirname(folder + path), { recursive: true });
  writeFileSync(folder + path, content);
}
