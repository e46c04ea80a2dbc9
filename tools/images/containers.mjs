import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program. @returns its output @throws Error with its standard error */
export async function output(program, ...args) {
  try {
    return (await execute(program, args, { maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const said = `${error.stdout ?? ''}${error.stderr ?? ''}`.split('\n').slice(-40).join('\n');
    throw new Error(`${program} ${args.join(' ')} failed:\n${said}`, { cause: error });
  }
}

/** buildah and podman on a store of their own, so that nothing of this is left among the user's images. */
export function containersIn(folder) {
  const store = [
    ...['--root', join(folder, 'store'), '--runroot', join(folder, 'run')],
    ...['--storage-driver', 'overlay'],
  ];
  const runtime = ['--cgroup-manager', 'cgroupfs', '--runtime', 'runc', '--events-backend', 'none'];
  return {
    buildah: (...args) => output('buildah', ...store, ...args),
    podman: (...args) => output('podman', ...store, ...runtime, ...args),
  };
}

/** As the chart runs a pod: nobody's user, a root that is read only, no capability, bounded memory. */
export const confined = [
  ...['--network', 'host', '--no-healthcheck', '--read-only', '--tmpfs', '/tmp'],
  ...['--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--memory', '768m'],
  ...['--ulimit', 'nofile=1024:4096', '--ulimit', 'nproc=1000:1000'],
];
