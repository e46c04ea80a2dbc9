import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonEnvironment } from '../config.js';

/** Python, with packages from PyPI that no other program sees. */
export interface OutsidePython {
  readonly env: NodeJS.ProcessEnv;
  /** Why it is not to be had; null when it is. */
  readonly missing: string | null;
}

/**
 * Python with packages at exact versions, kept in a temporary folder for the next run. Done at once:
 * a spec file has to know before it names its tests.
 */
export function pythonWith(packages: readonly string[]): OutsidePython {
  const name = createHash('sha256').update(packages.join()).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `postroom-python-${name}`);
  const env = pythonEnvironment(folder);
  if (spawnSync('python3', ['--version']).status !== 0) return { env, missing: 'python3' };
  if (existsSync(folder)) return { env, missing: null };
  const half = mkdtempSync(`${folder}-`);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', half];
  const { status } = spawnSync('python3', [...pip, ...packages], { timeout: 120_000 });
  if (status !== 0) {
    rmSync(half, { recursive: true, force: true });
    return { env, missing: `${packages.join(', ')} from PyPI` };
  }
  try {
    renameSync(half, folder);
  } catch {
    // Another worker was faster.
    rmSync(half, { recursive: true, force: true });
  }
  return { env, missing: null };
}
