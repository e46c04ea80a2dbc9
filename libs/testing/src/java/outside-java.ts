import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Java, with a library from Maven's central repository that no other program sees. */
export interface OutsideJava {
  readonly classPath: string;
  /** Why it is not to be had; null when it is. */
  readonly missing: string | null;
}

const isHere = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args).status === 0;

/**
 * Java with a library (`group:artifact:version`) and all that it needs, kept in a temporary folder for the
 * next run. Done at once: a spec file has to know before it names its tests.
 */
export function javaWith(library: string): OutsideJava {
  const name = createHash('sha256').update(library).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `postroom-java-${name}`);
  const classPath = join(folder, '*');
  // The launcher compiles a program that is one source file.
  if (!isHere('javac', '--version')) return { classPath, missing: 'a Java development kit' };
  if (existsSync(folder)) return { classPath, missing: null };
  if (!isHere('mvn', '--version')) return { classPath, missing: 'Maven' };
  const half = mkdtempSync(`${folder}-`);
  const pom = join(half, 'pom.xml');
  writeFileSync(pom, pomOf(library));
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${half}`];
  const { status } = spawnSync('mvn', ['-q', '-B', '-f', pom, ...goal], { timeout: 120_000 });
  if (status !== 0) {
    rmSync(half, { recursive: true, force: true });
    return { classPath, missing: `${library} from Maven` };
  }
  try {
    renameSync(half, folder);
  } catch {
    // Another worker was faster.
    rmSync(half, { recursive: true, force: true });
  }
  return { classPath, missing: null };
}

/** Not built: it only names what Maven fetches. */
function pomOf(library: string): string {
  const [group = '', artifact = '', version = ''] = library.split(':');
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>postroom</groupId><artifactId>outside</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>
    </dependency>
  </dependencies>
</project>
`;
}
