import { Worker } from 'node:worker_threads';
import type { Log, LogLevel } from '@postroom/service';
import { threadFile } from '@postroom/service/threads';
import type { MailConfig } from '../config.js';
import type { Ports } from '../smtp/index.js';
import { relog } from './log-lines.js';
import type { IntakeTask, Order, Report } from './messages.js';

export interface IntakeOptions {
  readonly config: MailConfig;
  readonly log: Log;
  /** Called after deliveries that left events in the outbox. */
  readonly eventsCommitted: () => void;
}

/**
 * Where mail comes in, in a thread of its own (docs/adr/0016): listening, reading, parsing and
 * storing a message of many megabytes take time and memory that requests must not wait for.
 */
export class Intake {
  private readonly worker: Worker;
  private readonly listening = Promise.withResolvers<Ports>();
  private readonly ended: Promise<void>;
  private bound: Ports | null = null;
  private isClosing = false;
  private fault: Error | null = null;

  /** Starts the thread; a failure of that is told by `listen`. */
  constructor({ config, log, eventsCommitted }: IntakeOptions) {
    const { filename, execArgv } = threadFile(import.meta.url, 'intake.worker');
    const logLevel = log.level as LogLevel;
    const workerData = { config: { ...config }, logLevel } satisfies IntakeTask;
    this.worker = new Worker(filename, { execArgv, workerData, name: 'intake' });
    this.listening.promise.catch(() => undefined);
    this.worker.on('error', (error: unknown) => {
      this.lose(Error.isError(error) ? error : new Error(String(error)));
    });
    this.ended = new Promise((resolve) => {
      this.worker.on('exit', () => {
        resolve();
        if (!this.isClosing) this.lose(new Error('The thread that takes mail in has ended.'));
      });
    });
    this.worker.on('message', (said: Report) => {
      switch (said.kind) {
        case 'listening':
          return this.listening.resolve(said.ports);
        case 'refused':
          return this.listening.reject(Object.assign(new Error(said.fault.message), said.fault));
        case 'events':
          return eventsCommitted();
        case 'logged':
          return relog(log, said.line);
      }
    });
  }

  /** @throws Error with `code` and `port` when a port cannot be had */
  async listen(): Promise<void> {
    this.tell('listen');
    this.bound = await this.listening.promise;
  }

  /** The ports it listens on. */
  get ports(): Ports {
    if (!this.bound) throw new Error('The mail listeners are not listening.');
    return this.bound;
  }

  /** Takes no new message, waits for those under way, but not for long, and ends the thread. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.tell('close');
    await this.ended;
    this.bound = null;
    if (this.fault) throw this.fault;
  }

  private tell(order: Order): void {
    this.worker.postMessage(order);
  }

  /** A process without its intake must not live on as if mail could come. */
  private lose(error: Error): void {
    if (this.isClosing) this.fault ??= error;
    else if (this.bound) throw error;
    else this.listening.reject(error);
  }
}
