import { constants } from 'node:os';
import { withTimeout } from '@postroom/concurrency';
import type { Log } from './log.js';

interface StopStep {
  readonly name: string;
  readonly stop: () => unknown;
  readonly timeoutMs: number;
}

const stopTimeoutMs = 10_000;
/** npm and a process group deliver one Ctrl-C twice, some milliseconds apart. */
const sameSignalMs = 1_000;
const signals = ['SIGINT', 'SIGTERM'] as const;

/** Settles as the step does, or fails when its time is up. */
const withinTime = ({ stop, timeoutMs }: StopStep): Promise<unknown> =>
  withTimeout((async () => stop())(), timeoutMs, () => {
    throw new Error(`It took longer than ${timeoutMs} ms.`);
  });

/**
 * The end of a process, in order. What is started registers how it is stopped; stopping runs the
 * steps in reverse, so that nothing is taken away from under what was built on it: register the
 * database first, the broker, the intake, and "not ready" last.
 */
export class Lifecycle {
  private readonly steps: StopStep[] = [];
  private stopped: Promise<boolean> | null = null;
  private signalledAt = 0;

  constructor(private readonly log: Log) {}

  /**
   * Registers how to stop what has just been started. What is registered while the process is
   * stopping is stopped next.
   *
   * @param timeoutMs how long the step may take before the next one runs all the same
   */
  onStop(name: string, stop: () => unknown, timeoutMs = stopTimeoutMs): void {
    this.steps.push({ name, stop, timeoutMs });
  }

  /**
   * Runs every step, the last registered first, each within its time. A step that fails or hangs is
   * logged and the others still run. Once: a second call waits for the first.
   *
   * @returns whether every step ended well
   */
  stop(): Promise<boolean> {
    this.stopped ??= this.runSteps();
    return this.stopped;
  }

  /**
   * Ties the process to this lifecycle: SIGINT and SIGTERM stop it (exit code 0, or 1 when a step
   * failed), a second one ends it at once; an unhandled rejection or exception is logged and ends
   * it with 1, since its state is unknown. A process with a channel to its parent stops when the parent
   * has gone: otherwise it would run on for ever.
   */
  handleSignals(): void {
    for (const signal of signals) process.on(signal, () => this.onSignal(signal));
    process.once('disconnect', () => this.onSignal('SIGTERM'));
    process.on('uncaughtException', (err, origin) => {
      this.log.fatal({ err, origin }, 'The process ends on an error that nobody handled.');
      process.exit(1);
    });
  }

  private onSignal(signal: (typeof signals)[number]): void {
    if (this.stopped) {
      const again = performance.now() - this.signalledAt > sameSignalMs;
      if (again) process.exit(128 + constants.signals[signal]);
      return;
    }
    this.signalledAt = performance.now();
    this.log.info({ signal }, 'Stopping.');
    void this.stop().then((clean) => process.exit(clean ? 0 : 1));
  }

  private async runSteps(): Promise<boolean> {
    let clean = true;
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      try {
        await withinTime(step);
      } catch (err) {
        clean = false;
        this.log.error({ err, step: step.name }, 'A part of the process did not stop well.');
      }
    }
    return clean;
  }
}
