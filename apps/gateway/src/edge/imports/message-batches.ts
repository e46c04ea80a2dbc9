import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import {
  importSteps,
  Problem,
  type ImportMessages,
  type ImportProgress,
} from '@postroom/contracts';
import type { SplitMessage } from '@postroom/formats';
import type { OperationClient } from '@postroom/operations';
import { requireSuccess } from '../../problems.js';

/** Base64 characters of a batch: a bus message over 256 KiB would go through the blob store. */
const batchCharactersMax = 240 * 1024;
const batchMessagesMax = 200;
/** A batch is sent at least so often while bytes arrive, since it carries the progress. */
const batchIntervalMs = 1_000;
const retryAfterMs = 500;

/** A message as it is sent, and the line above it in its file. */
interface Batched {
  readonly text: string;
  readonly separator: string;
}

/** A running import, and who asked for it. */
export interface RunningImport {
  readonly id: string;
  readonly caller: Caller;
  readonly requestId: string;
  /** The import fails when no message was stored for so long. */
  readonly idleTimeoutMs: number;
}

/**
 * Sends the messages of an import to the mail service in order and in batches: one batch is filled
 * while the one before is stored. A batch without an answer is sent again; the service knows what it
 * has stored of it.
 */
export class MessageBatches {
  private batch: Batched[] = [];
  private batchCharacters = 0;
  /** Messages that the service has stored. */
  private stored = 0;
  private bytesRead = 0;
  private sentMs = performance.now();
  private storing: Promise<void> = Promise.resolve();

  constructor(
    private readonly operations: OperationClient,
    private readonly running: RunningImport,
  ) {}

  /** Adds messages; waits while a full batch is behind one that is being stored. */
  async addMessages(messages: readonly SplitMessage[], bytesRead: number): Promise<void> {
    for (const { bytes, separator } of messages) {
      const text = bytes === null ? '-' : bytes.toString('base64');
      const isFull =
        this.batchCharacters + text.length > batchCharactersMax ||
        this.batch.length >= batchMessagesMax;
      if (isFull && this.batch.length > 0) await this.send();
      this.batch.push({ text, separator });
      this.batchCharacters += text.length;
    }
    this.bytesRead = bytesRead;
    if (performance.now() - this.sentMs > batchIntervalMs) await this.send();
  }

  /** Resolves when all messages are stored. */
  async finish(): Promise<void> {
    if (this.batch.length > 0) await this.send();
    await this.storing;
  }

  /** Waits for the batch that is being stored, whether or not it succeeds. */
  async idle(): Promise<void> {
    await this.storing.catch(() => undefined);
  }

  private async send(): Promise<void> {
    await this.storing;
    const messages = this.batch;
    this.batch = [];
    this.batchCharacters = 0;
    this.sentMs = performance.now();
    this.storing = this.store(messages);
    // It is awaited before the next batch, or in the end.
    this.storing.catch(() => undefined);
  }

  private async store(messages: readonly Batched[]): Promise<void> {
    let left = messages;
    do {
      const { done } = await this.step(left);
      left = left.slice(done - this.stored);
      this.stored = done;
    } while (left.length > 0);
  }

  /** @throws Problem SERVICE_UNAVAILABLE when nothing was stored until the timeout */
  private async step(messages: readonly Batched[]): Promise<ImportProgress> {
    const { id, caller, requestId, idleTimeoutMs } = this.running;
    const input = {
      id,
      first: this.stored,
      messages: messages.map(({ text }) => text),
      separators: messages.map(({ separator }) => separator),
      bytesRead: this.bytesRead,
    };
    const untilMs = Date.now() + idleTimeoutMs;
    for (;;) {
      const timeoutMs = untilMs - Date.now();
      try {
        return progressOf(await this.ask(caller, input, { requestId, timeoutMs }));
      } catch (error) {
        const isTransient = error instanceof Problem && error.code === 'SERVICE_UNAVAILABLE';
        if (!isTransient || Date.now() + retryAfterMs > untilMs) throw error;
        await sleep(retryAfterMs);
      }
    }
  }

  private ask(
    caller: Caller,
    input: ImportMessages,
    options: { readonly requestId: string; readonly timeoutMs: number },
  ): Promise<ReplyEnvelope> {
    return this.operations.call(importSteps.take, caller, input, options);
  }
}

const progressOf = (reply: ReplyEnvelope): ImportProgress =>
  JSON.parse(requireSuccess(reply).body.toString()) as ImportProgress;
