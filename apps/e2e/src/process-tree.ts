import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

type Parent = readonly [pid: number, parent: number, program: string];

/** All descendants of a process, optionally only those that run one program. */
export async function descendantsOf(root: number, program?: string): Promise<number[]> {
  const parents = process.platform === 'linux' ? await parentsByProc() : await parentsByPs();
  const found: Parent[] = [];
  for (let layer = [root]; layer.length > 0;) {
    const below = parents.filter(([, parent]) => layer.includes(parent));
    layer = below.map(([pid]) => pid);
    found.push(...below);
  }
  return found
    .filter(([, , name]) => program === undefined || name === program)
    .map(([pid]) => pid);
}

/** True if a process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Small containers have no `ps`. */
async function parentsByProc(): Promise<Parent[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map(async (pid): Promise<Parent[]> => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // The name before the state may contain anything, including a parenthesis.
      const [nameEnd, name] = [stat.lastIndexOf(')'), stat.indexOf('(') + 1];
      const parent = stat.slice(nameEnd + 2).split(' ')[1];
      return parent === undefined ? [] : [[Number(pid), Number(parent), stat.slice(name, nameEnd)]];
    }),
  );
  return parents.flat();
}

async function parentsByPs(): Promise<Parent[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,comm=']);
  return stdout.split('\n').flatMap((line): Parent[] => {
    const [pid, parent, path = ''] = line.trim().split(/\s+/);
    if (pid === undefined || parent === undefined) return [];
    return [[Number(pid), Number(parent), path.slice(path.lastIndexOf('/') + 1)]];
  });
}
