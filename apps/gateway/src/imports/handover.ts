import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import {
  importSteps,
  isProblemCode,
  Problem,
  type ImportMessages,
  type ImportProgress,
} from '@postroom/contracts';
import type { OperationClient } from '@postroom/operations';
import type { SplitMessage } from './mbox-splitter.js';

/** Base64 characters that go over the bus together: what is over 256 KiB takes the longer way. */
const togetherMax = 240 * 1024;
const messagesMax = 200;
/** How often progress is told of at least, while bytes come. */
const tellEveryMs = 1_000;
const retryAfterMs = 500;

/** Which import is under way, and for whom. */
export interface Under {
  readonly id: string;
  readonly caller: Caller;
  readonly requestId: string;
  /** How long no message may be stored before the import fails. */
  readonly silenceMaxMs: number;
}

/**
 * Hands the messages of an import to the mail service: in their order, many small ones together, the
 * next while the last are being stored and no more than that. A step that got no answer is asked for
 * again; the service knows what it has done of it.
 */
export class Handover {
  private waiting: string[] = [];
  private waitingLength = 0;
  /** Messages that the service has said are done. */
  private done = 0;
  private bytesRead = 0;
  private toldMs = performance.now();
  private underWay: Promise<void> = Promise.resolve();

  constructor(
    private readonly operations: OperationClient,
    private readonly under: Under,
  ) {}

  /** Takes messages; waits while there is enough under way. */
  async add(messages: readonly SplitMessage[], bytesRead: number): Promise<void> {
    for (const message of messages) {
      const text = message === null ? '-' : message.toString('base64');
      const isFull =
        this.waitingLength + text.length > togetherMax || this.waiting.length >= messagesMax;
      if (isFull && this.waiting.length > 0) await this.send();
      this.waiting.push(text);
      this.waitingLength += text.length;
    }
    this.bytesRead = bytesRead;
    if (performance.now() - this.toldMs > tellEveryMs) await this.send();
  }

  /** Resolves when all that was added is stored. */
  async finish(): Promise<void> {
    if (this.waiting.length > 0) await this.send();
    await this.underWay;
  }

  /** Waits until nothing is under way any more, however that ends. */
  async settled(): Promise<void> {
    await this.underWay.catch(() => undefined);
  }

  private async send(): Promise<void> {
    await this.underWay;
    const messages = this.waiting;
    this.waiting = [];
    this.waitingLength = 0;
    this.toldMs = performance.now();
    this.underWay = this.store(messages);
    // It is awaited before the next step, or at the end.
    this.underWay.catch(() => undefined);
  }

  private async store(messages: readonly string[]): Promise<void> {
    let left = messages;
    do {
      const { done } = await this.step(left);
      left = left.slice(done - this.done);
      this.done = done;
    } while (left.length > 0);
  }

  /** @throws Problem SERVICE_UNAVAILABLE when nothing was stored for too long */
  private async step(messages: readonly string[]): Promise<ImportProgress> {
    const { id, caller, requestId, silenceMaxMs } = this.under;
    const input = { id, first: this.done, messages: [...messages], bytesRead: this.bytesRead };
    const untilMs = Date.now() + silenceMaxMs;
    for (;;) {
      const timeoutMs = untilMs - Date.now();
      try {
        return progressOf(await this.ask(caller, input, { requestId, timeoutMs }));
      } catch (error) {
        const mayPass = error instanceof Problem && error.code === 'SERVICE_UNAVAILABLE';
        if (!mayPass || Date.now() + retryAfterMs > untilMs) throw error;
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
  JSON.parse(granted(reply).body.toString()) as ImportProgress;

/** @throws Problem when it is a refusal */
export function granted(reply: ReplyEnvelope): ReplyEnvelope {
  const { problem } = reply;
  if (problem === null) return reply;
  throw new Problem(isProblemCode(problem) ? problem : 'INTERNAL');
}
