import { availableParallelism } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { Budget } from '@postroom/limits';
import { hasWorked, threadFile } from '@postroom/service/threads';
import { Piscina } from 'piscina';
import { limits } from '../limits.js';
import { contentFingerprint } from './content-fingerprint.js';
import { fallbackMessage } from './fallback-message.js';
import type { ParseAnswer, ParseStart, ParseTask } from './parse.worker.js';
import type { ParsedMessage } from './parsed-message.js';

/** A message as it is shown, and the hash of its content (see `contentFingerprint`). */
export type ReadMessage = ParsedMessage & { readonly fingerprint: string };

/** A parsed message, and the milliseconds of CPU that it took. */
export type CostedMessage = ReadMessage & { readonly cpuMs: number };

/** A message as the fallback shows it, without trying to parse it. */
export const fallbackOf = (raw: Uint8Array): ReadMessage => ({
  ...fallbackMessage(raw),
  fingerprint: contentFingerprint(raw),
});

export interface MessageParserOptions {
  /** Called when a message is shown by the fallback, with the reason in `detail`. */
  readonly warn: (message: string, detail: Readonly<Record<string, unknown>>) => void;
  /** One thread by default on small machines, so that the process keeps a core for its requests; two at most. */
  readonly threads?: number;
  /** The CPU time that one parse may take. */
  readonly timeLimitMs?: number;
  /** The module that a thread runs; a spec replaces it by one that loses threads. */
  readonly workerFile?: string;
}

const defaultTimeLimitMs = 4_500;
/*
 * A last resort: V8 does not always end a thread alone that runs out of memory, so parsing itself
 * stays far below (`shortenedMessage`; the worst message known takes 220 MB in all).
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/**
 * Parses messages in threads that end when one takes too long or too much memory. Every message gets an
 * answer: the fallback shows those that cannot be parsed, and a message whose thread was lost for another
 * reason is tried once more on a fresh one.
 */
export class MessageParser {
  readonly #options: MessageParserOptions;
  readonly #running = new Set<Promise<CostedMessage>>();
  readonly #threads: number;
  readonly #turns: Budget<'workspace'>;
  #startedPool: Piscina<ParseTask, ParseAnswer> | undefined;
  #isClosed = false;

  constructor(options: MessageParserOptions) {
    this.#options = options;
    this.#threads = options.threads ?? Math.min(2, Math.max(1, availableParallelism() - 1));
    this.#turns = new Budget(limits.parsing, this.#threads);
  }

  /** Threads are started by the first message. */
  get #pool(): Piscina<ParseTask, ParseAnswer> {
    return (this.#startedPool ??= startThreads(this.#options, this.#threads));
  }

  /**
   * Never changes or detaches `raw`. Workspaces take turns, by the bytes of their messages.
   *
   * @param workspace that receives the message
   * @param returnPath the reverse path it came with, empty for the null sender; null where none is known
   * @throws Error only after `close()`: the sender must try again, not be answered by a fallback.
   */
  async parse(
    raw: Uint8Array,
    workspace: string,
    returnPath: string | null = null,
  ): Promise<CostedMessage> {
    if (this.#isClosed) throw new Error('The message parser is closed');
    const turn = { cost: raw.length };
    const parsing = this.#turns.runInTurn({ workspace }, () => this.#parsed(raw, returnPath), turn);
    this.#running.add(parsing);
    try {
      return await parsing;
    } finally {
      this.#running.delete(parsing);
    }
  }

  /** Messages that wait for a thread. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  /** Waits for the messages being parsed (each has its time limit), then ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#running);
    await this.#startedPool?.destroy();
  }

  async #parsed(raw: Uint8Array, returnPath: string | null): Promise<CostedMessage> {
    const answer = (await this.#attempt(raw, returnPath)) ?? (await this.#attempt(raw, returnPath));
    if (answer && 'message' in answer && !showsNothing(answer.message)) {
      return { ...answer.message, fingerprint: answer.fingerprint, cpuMs: answer.cpuMs };
    }
    const reason = answer ? reasonOf(answer) : 'the parsing thread was lost twice';
    this.#options.warn('a message is shown by the fallback', { reason, sizeBytes: raw.length });
    const fingerprint = answer?.fingerprint ?? contentFingerprint(raw);
    const cpuMs = answer?.cpuMs ?? this.#timeLimitMs;
    return { ...fallbackMessage(raw, returnPath), fingerprint, cpuMs };
  }

  get #timeLimitMs(): number {
    return this.#options.timeLimitMs ?? defaultTimeLimitMs;
  }

  /** Null when the thread was lost and the message may not be at fault. */
  async #attempt(raw: Uint8Array, returnPath: string | null): Promise<Attempted | null> {
    const { port1, port2 } = new MessageChannel();
    const timeout = new AbortController();
    const end = new AbortController();
    let fingerprint: string | undefined;
    port1.once('message', (start: ParseStart) => {
      fingerprint = start.fingerprint;
      const thread = this.#pool.threads.find(({ threadId }) => threadId === start.threadId);
      if (thread) {
        hasWorked(thread, start.cpu, this.#timeLimitMs, end.signal).then(
          () => timeout.abort(),
          // The parse has ended, or its thread.
          () => undefined,
        );
      }
    });
    try {
      // A copy that the thread is given: one that it would make itself is left here to be collected.
      const own = new Uint8Array(raw);
      const task = { raw: own, returnPath, started: port2 };
      const transferList = [port2, own.buffer];
      return await this.#pool.run(task, { transferList, signal: timeout.signal });
    } catch (error) {
      if (timeout.signal.aborted) return { refused: 'too much time', fingerprint };
      if (isOutOfMemory(error)) return { refused: 'too much memory', fingerprint };
      return null;
    } finally {
      end.abort();
      port1.close();
    }
  }
}

function startThreads(
  { warn, workerFile }: MessageParserOptions,
  threads: number,
): Piscina<ParseTask, ParseAnswer> {
  const { filename, execArgv } = threadFile(import.meta.url, 'parse.worker');
  // oxlint-disable-next-line postroom/owned-limits -- it has a thread for each turn of the budget
  const pool = new Piscina<ParseTask, ParseAnswer>({
    filename: workerFile ?? filename,
    execArgv,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits,
  });
  // A thread that ends between two messages does no harm, but an unhandled 'error' ends the process.
  pool.on('error', (error) => {
    warn('a parsing thread ended', { error: String(error) });
  });
  return pool;
}

/** Bytes without a header parse to nothing at all; the fallback shows them as they are. */
const showsNothing = ({ from, subject, text, html, attachments }: ParsedMessage): boolean =>
  !from && !subject && !text && !html && attachments.length === 0;

const reasonOf = (answer: Attempted): string =>
  'refused' in answer ? answer.refused : 'it shows nothing when parsed';

/** The answer of a thread, or the reason why it was ended. */
type Attempted =
  | ParseAnswer
  | {
      readonly refused: string;
      readonly fingerprint: string | undefined;
      readonly cpuMs?: never;
    };

function isOutOfMemory(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return code === 'ERR_WORKER_OUT_OF_MEMORY';
}
