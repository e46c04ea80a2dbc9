import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BrokerSetupError, messageOf } from './setup-error.js';

/** Beside the sources; the compiled files lie at the same depth. */
const pom = fileURLToPath(new URL('../../src/broker/pom.xml', import.meta.url));

/** Named after a digest of the POM, so that versions do not share jars. */
function jarFolder(cacheDir: string): string {
  const digest = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  return join(cacheDir, `kafka-${digest}`);
}

/** Whether the jars have been fetched. */
export const haveJars = (cacheDir: string): boolean => existsSync(jarFolder(cacheDir));

/**
 * The folder of the broker's jars; Maven fetches them at the first call (44 MB, a few seconds) into
 * `cacheDir`. The folder is renamed into place, so that concurrent and interrupted starts do no harm.
 * @throws BrokerSetupError when Maven cannot fetch them
 */
export async function fetchJars(cacheDir: string, log: (line: string) => void): Promise<string> {
  const folder = jarFolder(cacheDir);
  if (haveJars(cacheDir)) return folder;
  log(`Fetching the broker's jars with Maven into ${folder} (44 MB, once).`);
  await mkdir(cacheDir, { recursive: true });
  const unfinished = await mkdtemp(join(cacheDir, 'fetching-'));
  try {
    await runMaven(unfinished);
    await rename(unfinished, folder).catch(async (error: unknown) => {
      // Another start has renamed its folder first.
      await access(folder).catch(() => {
        throw error;
      });
    });
    return folder;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function runMaven(outputDirectory: string): Promise<void> {
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime'];
  const args = ['-q', '-B', '-f', pom, ...goal, `-DoutputDirectory=${outputDirectory}`];
  try {
    await promisify(execFile)('mvn', args);
  } catch (error) {
    const output = typeof error === 'object' && error && 'stdout' in error ? error.stdout : '';
    throw new BrokerSetupError(
      `Maven could not fetch the broker's jars:\n${String(output).trim() || messageOf(error)}`,
      { cause: error },
    );
  }
}
