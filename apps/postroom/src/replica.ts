import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@postroom/service';
import { SetupError } from '@postroom/service/setup-error';

/** Options of a replica. */
export interface ReplicaOptions {
  /** Its name, for the operator. */
  readonly instance: string;
  /** Path of its main program. */
  readonly program: string;
  /** Its environment, asked for at each start. */
  readonly env: () => Promise<NodeJS.ProcessEnv>;
  /** The base URL of its probes. */
  readonly healthUrl: string;
  readonly log: Log;
  /** Called when another process has taken its place. */
  readonly replaced: () => void;
}

const readyTimeoutMs = 180_000;
const pollMs = 50;
const probeTimeoutMs = 2_000;
/** Longer than a service takes to finish its requests in flight. */
const stopTimeoutMs = 30_000;

/**
 * One process of a service, restarted whenever it ends unexpectedly; at once where something else has asked it to end,
 * as for a change of its settings.
 */
export class Replica {
  private child: ChildProcess | undefined;
  private readonly stopping = new AbortController();
  private readonly backOff = new BackOff();

  constructor(private readonly options: ReplicaOptions) {}

  /** Process id of the current or last process; 0 before the first. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /**
   * Starts it, and resolves when it is ready.
   * @throws SetupError when it ends before that, or takes too long
   */
  async start(): Promise<void> {
    const { instance, healthUrl } = this.options;
    const child = await this.launch();
    const deadline = performance.now() + readyTimeoutMs;
    while (!(await isReady(healthUrl))) {
      if (hasEnded(child)) throw new SetupError(`${instance} ended before it was ready.`);
      if (performance.now() > deadline) throw new SetupError(`${instance} does not become ready.`);
      await sleep(pollMs);
    }
    this.watch(child, performance.now());
  }

  /** Stops it and waits for its end; after a time limit it is killed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const { child } = this;
    if (!child || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const cutOff = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await ended;
    clearTimeout(cutOff);
  }

  /**
   * It leads a process group of its own, so that the terminal's Ctrl-C reaches only this process.
   * Through an IPC channel it notices the end of this process, whatever the cause.
   */
  private async launch(): Promise<ChildProcess> {
    const { program } = this.options;
    const env = await this.options.env();
    this.stopping.signal.throwIfAborted();
    const child = spawn(process.execPath, [...process.execArgv, program], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    child.on('error', (err) => this.options.log.error({ err }, 'It cannot be started.'));
    this.child = child;
    return child;
  }

  private watch(child: ChildProcess, startedAt: number): void {
    const again = (): void => {
      this.restart(performance.now() - startedAt).catch((err: unknown) => {
        if (!this.stopping.signal.aborted) this.options.log.error({ err }, 'It cannot be started.');
      });
    };
    if (hasEnded(child)) again();
    else child.once('exit', again);
  }

  private async restart(livedMs: number): Promise<void> {
    const { signal } = this.stopping;
    if (signal.aborted) return;
    const { instance, log, replaced } = this.options;
    const { exitCode, signalCode } = this.child ?? {};
    if (exitCode !== 0) {
      const delayMs = this.backOff.afterLife(livedMs);
      log.error(
        { instance, exitCode, signal: signalCode, delayMs },
        'A process ended by itself; it is started again.',
      );
      await sleep(delayMs, undefined, { signal });
    }
    this.watch(await this.launch(), performance.now());
    replaced();
  }
}

/** Also true of a process that could not be forked. */
const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

async function isReady(healthUrl: string): Promise<boolean> {
  const signal = AbortSignal.timeout(probeTimeoutMs);
  try {
    const answer = await fetch(`${healthUrl}/readyz`, { signal });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}

const firstMs = 500;
const mostMs = 30_000;

/** A process that ran this long was healthy: its next death counts as the first. */
const wellAfterMs = 60_000;

/** The delay before a dead process is restarted: half a second, doubling to half a minute. */
export class BackOff {
  private delayMs = firstMs;

  /** @param livedMs how long it had been running */
  afterLife(livedMs: number): number {
    const delayMs = livedMs >= wellAfterMs ? firstMs : this.delayMs;
    this.delayMs = Math.min(delayMs * 2, mostMs);
    return delayMs;
  }
}
