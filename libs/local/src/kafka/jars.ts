import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { userCacheFolder } from '../config.js';
import { messageOf, SetupError } from '@postroom/service/setup-error';

/** Beside the sources; the compiled files lie at the same depth. */
const pom = fileURLToPath(new URL('../../src/kafka/pom.xml', import.meta.url));

/** Named after a digest of the POM, so that versions do not share jars. */
function jarFolder(cacheDir: string): string {
  const digest = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  return join(cacheDir, `kafka-${digest}`);
}

const haveJars = (cacheDir: string): boolean => existsSync(jarFolder(cacheDir));

/**
 * The folder of the broker's jars; Maven fetches them at the first call (44 MB, a few seconds) into
 * `cacheDir`. The folder is renamed into place, so that concurrent and interrupted starts do no harm.
 * @throws SetupError when Maven cannot fetch them
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
    throw new SetupError(
      `Maven could not fetch the broker's jars:\n${String(output).trim() || messageOf(error)}`,
      { cause: error },
    );
  }
}

/** The lowest Java version that Kafka 4 supports. */
const javaMin = 17;

/** The folder of the jars, outside the clone, so that they are fetched once. */
export const defaultCacheDir = (): string => join(userCacheFolder(), 'postroom');

/**
 * Says what this machine lacks to run a broker, in a sentence for the operator; null when it lacks nothing.
 * It runs `java -version` and looks for Maven, which is needed only until the jars have been fetched.
 */
export function brokerMissing(cacheDir = defaultCacheDir()): string | null {
  if (process.platform === 'win32') return 'A broker of our own does not run on Windows.';
  const java = javaVersion();
  if (java === undefined) return `Java ${javaMin} or later was not found ("java").`;
  if (java < javaMin) return `Java ${javaMin} or later is needed; "java" is version ${java}.`;
  if (!haveJars(cacheDir) && !isCommand('mvn')) {
    return 'Maven was not found ("mvn"); it fetches the broker the first time.';
  }
  return null;
}

/** `openjdk version "17.0.15" 2025-04-15`, on standard error; `"1.8.0_402"` before Java 9. */
function javaVersion(): number | undefined {
  const result = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (result.error) return undefined;
  const [, version] = /version "(?:1\.)?(\d+)/.exec(result.stderr) ?? [];
  return version === undefined ? undefined : Number(version);
}

const isCommand = (name: string): boolean =>
  spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name]).status === 0;
