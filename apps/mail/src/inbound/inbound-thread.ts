import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { threadUses, type LimitUse } from '@postroom/limits';
import type { Log, LogLevel } from '@postroom/service';
import { threadFile } from '@postroom/service/threads';
import type { MailConfig } from '../config.js';
import type { HistoryPiece } from '../imap/history.js';
import { LeaseLost } from '../imap/ledger.js';
import type { Source } from '../imap/remote-mailbox.js';
import type { Ports } from './smtp/mail-listeners.js';
import type { SmtpOutcome } from './smtp/smtp-refusal.js';

export interface InboundThreadOptions {
  readonly config: MailConfig;
  readonly log: Log;
  /** Called after deliveries that left events in the outbox. */
  readonly eventsCommitted: () => void;
  /** Called with what became of a message for a recipient. */
  readonly received: (outcome: SmtpOutcome | 'bounce') => void;
}

/**
 * Receives mail in a thread of its own (docs/adr/0016): listening, reading, parsing and storing a
 * message of many megabytes take time and memory that requests must not wait for.
 */
export class InboundThread {
  private readonly worker: Worker;
  private readonly listening = Promise.withResolvers<Ports>();
  private readonly ended: Promise<void>;
  private bound: Ports | null = null;
  private isClosing = false;
  private isOver = false;
  private error: Error | null = null;

  /** Starts the thread; `listen` throws what goes wrong with that. */
  constructor({ config, log, eventsCommitted, received }: InboundThreadOptions) {
    const { filename, execArgv } = threadFile(import.meta.url, 'inbound.worker');
    const logLevel = log.level as LogLevel;
    const workerData = { config: { ...config }, logLevel } satisfies InboundThreadData;
    this.worker = new Worker(filename, { execArgv, workerData, name: 'inbound' });
    this.listening.promise.catch(() => undefined);
    this.worker.on('error', (error: unknown) => {
      this.fail(Error.isError(error) ? error : new Error(String(error)));
    });
    this.ended = new Promise((resolve) => {
      this.worker.on('exit', () => {
        this.isOver = true;
        resolve();
        if (!this.isClosing) this.fail(new Error(threadEnded));
      });
    });
    this.worker.on('message', (report: Report) => {
      switch (report.kind) {
        case 'listening':
          return this.listening.resolve(report.ports);
        case 'failed':
          return this.listening.reject(
            Object.assign(new Error(report.error.message), report.error),
          );
        case 'events':
          return eventsCommitted();
        case 'limits':
          threadUses('inbound', report.use);
          return;
        case 'received':
          return received(report.outcome);
        case 'logged':
          return forwardLogLine(log, report.line);
      }
    });
  }

  /** @throws Error with `code` and `port` when a port cannot be bound */
  async listen(): Promise<void> {
    this.post('listen');
    this.bound = await this.listening.promise;
  }

  /** The ports it listens on. */
  get ports(): Ports {
    if (!this.bound) throw new Error('The mail listeners are not listening.');
    return this.bound;
  }

  /**
   * Parses messages of an account elsewhere, and stores them. Their bytes are moved to the thread.
   * @throws LeaseLost, or an error that says what failed there
   */
  async store(piece: HistoryPiece): Promise<void> {
    // A thread that has ended neither answers nor closes the port.
    if (this.isOver) throw new Error(threadEnded);
    const { port1, port2 } = new MessageChannel();
    const came = piece.came.map((source) => ({ ...source, raw: movable(source.raw) }));
    const task = { ...piece, came, answer: port2 } satisfies HistoryTask;
    const failure = await new Promise<HistoryFailure | null>((resolve, reject) => {
      port1.once('message', resolve);
      port1.once('close', () => reject(new Error(threadEnded)));
      this.worker.postMessage(task, [port2, ...came.map(({ raw }) => raw.buffer)]);
    });
    if (failure === null) return;
    throw failure.isLeaseLost ? new LeaseLost(failure.message) : new Error(failure.message);
  }

  /** Accepts no new message, waits a few seconds for those under way, and ends the thread. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.post('close');
    await this.ended;
    this.bound = null;
    if (this.error) throw this.error;
  }

  private post(command: Command): void {
    this.worker.postMessage(command);
  }

  /** A process whose inbound thread is gone must not go on as if it could receive mail. */
  private fail(error: Error): void {
    if (this.isClosing) this.error ??= error;
    else if (this.bound) throw error;
    else this.listening.reject(error);
  }
}

const threadEnded = 'The inbound thread has ended.';

/** Bytes that can be moved: those that share their buffer with others are copied. */
const movable = (raw: Uint8Array): Uint8Array<ArrayBuffer> =>
  raw.buffer instanceof ArrayBuffer && raw.buffer.byteLength === raw.byteLength
    ? new Uint8Array(raw.buffer)
    : new Uint8Array(raw);

/** A line of a thread's log, as `createLog` writes it. */
interface LogLine {
  readonly level: Exclude<LogLevel, 'silent'>;
  readonly time: string;
  readonly msg?: string;
  readonly err?: LoggedError;
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError | string;
}

/** Writes a line of a thread's log to the log of the process, with that log's own fields and format. */
export function forwardLogLine(log: Log, line: string): void {
  const { level, time: _time, msg, err, ...fields } = JSON.parse(line) as LogLine;
  log[level]({ ...fields, ...(err && { err: errorOf(err) }) }, msg);
}

/** The error of a line as an Error again, which the log knows how to write. */
function errorOf({ type, message, cause, ...rest }: LoggedError): Error {
  const deeper = typeof cause === 'object' ? errorOf(cause) : cause;
  return Object.assign(new Error(message), {
    ...rest,
    name: type,
    ...(deeper !== undefined && { cause: deeper }),
  });
}

/** The data that the inbound thread is started with. */
export interface InboundThreadData {
  readonly config: MailConfig;
  readonly logLevel: LogLevel;
}

/** A command of the main thread to the inbound thread. */
export type Command = 'listen' | 'close';

/** Messages that the inbound thread stores, and where it answers: why it could not, or null. */
export interface HistoryTask extends Omit<HistoryPiece, 'came'> {
  readonly came: readonly (Omit<Source, 'raw'> & { readonly raw: Uint8Array })[];
  readonly answer: MessagePort;
}

export interface HistoryFailure {
  readonly message: string;
  readonly isLeaseLost: boolean;
}

/** A report of the inbound thread to the main thread. */
export type Report =
  | { readonly kind: 'listening'; readonly ports: Ports }
  /** It cannot listen. */
  | { readonly kind: 'failed'; readonly error: ListenError }
  /** A delivery has left events in the outbox. */
  | { readonly kind: 'events' }
  /** The use of its limits. */
  | { readonly kind: 'limits'; readonly use: LimitUse }
  /** For the metrics. */
  | { readonly kind: 'received'; readonly outcome: SmtpOutcome | 'bounce' }
  /** A line of the log, as JSON. */
  | { readonly kind: 'logged'; readonly line: string };

/** Why it cannot listen: what remains of an error that is passed between threads. */
export interface ListenError {
  readonly message: string;
  /** The code of a system error. */
  readonly code?: string;
  /** The port that could not be bound. */
  readonly port?: number;
}
