import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A folder with the programs of `browser`, `clients` or `generators` and the packages that they are pinned to, kept in the
 * temporary folder for the next run.
 * @throws Error when npm cannot install them
 */
export function officialPackages(programs: 'browser' | 'clients' | 'generators'): string {
  const sources = fileURLToPath(new URL(`../../${programs}/`, import.meta.url));
  const manifest = readFileSync(join(sources, 'package.json'));
  const name = createHash('sha256').update(manifest).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `postroom-${programs}-${name}`);
  if (!existsSync(folder)) {
    const half = mkdtempSync(`${folder}-`);
    cpSync(join(sources, 'package.json'), join(half, 'package.json'));
    const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
      cwd: half,
      encoding: 'utf8',
      timeout: 240_000,
    });
    if (status !== 0) throw new Error(`npm install: ${stderr}`);
    renameSync(half, folder);
  }
  // The programs as they are now.
  cpSync(sources, folder, { recursive: true });
  return folder;
}
