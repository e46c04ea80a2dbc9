import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

type Parent = readonly [pid: number, parent: number];

/** Every process below one, its grandchildren too. */
export async function descendantsOf(root: number): Promise<number[]> {
  const parents = process.platform === 'linux' ? await parentsByProc() : await parentsByPs();
  const found: number[] = [];
  for (let layer = [root]; layer.length > 0;) {
    layer = parents.filter(([, parent]) => layer.includes(parent)).map(([pid]) => pid);
    found.push(...layer);
  }
  return found;
}

/** Whether a process is there. */
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
      // The name before the state may hold anything, a parenthesis too.
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      return parent === undefined ? [] : [[Number(pid), Number(parent)]];
    }),
  );
  return parents.flat();
}

async function parentsByPs(): Promise<Parent[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=']);
  return stdout.split('\n').flatMap((line): Parent[] => {
    const [pid, parent] = line.trim().split(/\s+/);
    return pid === undefined || parent === undefined ? [] : [[Number(pid), Number(parent)]];
  });
}
