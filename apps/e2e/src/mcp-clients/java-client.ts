import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs without which the Java client is neither built nor run. */
const needed = ['java', 'javac', 'mvn'];

/** The program that this machine lacks; null where it has all. */
export const javaMissing = (): string | null =>
  needed.find((name) => spawnSync(name, ['-version']).status !== 0) ?? null;

/**
 * Builds the Java clients in a folder that has its sources; Maven keeps its packages for the next run.
 * @returns the class path of the clients
 * @throws Error when it cannot be built
 */
export function builtJavaClient(folder: string): string {
  const run = (command: string, ...args: string[]): void => {
    const { status, stdout } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command}: ${stdout}`);
  };
  run('mvn', '-q', '-B', 'dependency:build-classpath', '-Dmdep.outputFile=classpath.txt');
  const classPath = readFileSync(join(folder, 'classpath.txt'), 'utf8').trim();
  run('javac', '-nowarn', '-cp', classPath, 'Client.java', 'OAuthClient.java');
  return `${classPath}:${folder}`;
}
