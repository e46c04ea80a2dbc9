import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'node_modules', '.bin');

// In a terminal, Ctrl-C and closing the window reach every process of the group by themselves.
const fromTerminal = process.stdin.isTTY ? ['SIGINT', 'SIGHUP'] : [];
let stoppedBy;
/** A function for each running program that stops it. */
const stops = new Set();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // npm passes a signal on that the terminal has sent already: the child must see it once.
    if (stoppedBy) return;
    stoppedBy = signal;
    for (const stop of stops) stop(signal);
  });
}

const passOn = (child) => (signal) => {
  if (!fromTerminal.includes(signal)) child.kill(signal);
};

const killGroup = (child) => () => process.kill(-child.pid, 'SIGKILL');

/** The environment in which `node`, and every tool started by its name, is the project's own. */
const projectEnv = () => ({
  ...process.env,
  PATH: [bin, ...machinePath()].join(delimiter),
  // Nx's daemon would outlive the command.
  NX_DAEMON: 'false',
  // A process for each of its plugins takes 7 s of CPU to start, and the command itself 2.
  NX_ISOLATE_PLUGINS: 'false',
});

/** The same without the project's: what installs node_modules must not run from inside it. */
export const machineEnv = () => ({ ...process.env, PATH: machinePath().join(delimiter) });

const machinePath = () => (process.env.PATH ?? '').split(delimiter).filter((dir) => dir !== bin);

/**
 * Runs a program on this terminal and waits for its end, also after a signal to stop.
 * A program that ended well although this process was told to stop is not `ok`: nothing may follow.
 * `settings` are added to its environment. One that is `disposable` leaves nothing worth a clean end, and is killed with all it started.
 */
export async function run(program, args, { disposable = false, settings = {}, ...options } = {}) {
  if (stoppedBy) return { code: null, signal: stoppedBy, ok: false };
  const stdio = 'inherit';
  const env = { ...projectEnv(), ...settings };
  const child = spawn(program, args, { cwd: root, env, ...options, stdio, detached: disposable });
  const ended = new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new Error(`cannot run ${program}`, { cause })));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const stop = disposable ? killGroup(child) : passOn(child);
  stops.add(stop);
  const end = await ended.finally(() => stops.delete(stop));
  const signal = end.signal && (stoppedBy ?? end.signal);
  return { code: end.code, signal, ok: end.code === 0 && !stoppedBy };
}

/** Ends this process as the program ended, so that callers see its exit code; others end too. */
export async function finish(outcome) {
  const { code, signal } = await outcome;
  for (const stop of stops) stop('SIGTERM');
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
}
