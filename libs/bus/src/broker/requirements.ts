import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { userCacheFolder } from './config.js';
import { haveJars } from './jars.js';

/** The lowest Java version that Kafka 4 supports. */
const javaMin = 17;

/** Where the jars are kept, outside the clone, so that they are fetched once. */
export const defaultCacheDir = (): string => join(userCacheFolder(), 'postroom');

/**
 * What this machine lacks to run a broker, as a sentence for the operator; null when it lacks nothing.
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
