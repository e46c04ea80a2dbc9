import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../http.js';

/** A comment with its own Idempotency-Key. */
export interface Write {
  readonly conversation: string;
  readonly text: string;
  readonly idempotencyKey: string;
}

/**
 * The outcome of a request: its status; `cut off` when its gateway died meanwhile; `late` when no answer
 * came well past its deadline.
 */
export type Outcome = number | 'cut off' | 'late';

/** A request that was sent, and its end. Times are `performance.now()`. */
export interface LoadRequest {
  readonly gateway: string;
  readonly sentMs: number;
  readonly endedMs: number;
  readonly outcome: Outcome;
  /** The comment of a write. */
  readonly write: Write | null;
}

/** The targets of the requests, and their credentials. */
export interface Target {
  readonly mailbox: string;
  readonly apiKey: string;
  readonly conversations: readonly string[];
  /** Base URL by instance, of the gateways in use. */
  gateways(): ReadonlyMap<string, string>;
}

/** The deadline of an operation (10 s), and some time for the answer to arrive. */
const answeredWithinMs = 12_000;
const writeEvery = 5;
const tickMs = 10;

/** Reads and keyed writes at a fixed rate, whatever their outcome. */
export class Load {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly asked: LoadRequest[] = [];
  private readonly running: Promise<void>;

  constructor(
    private readonly target: Target,
    perSecond: number,
  ) {
    this.running = this.sendRequests(perSecond);
  }

  /** Finished requests, in the order in which they finished. */
  get ended(): readonly LoadRequest[] {
    return this.asked;
  }

  /** Sends no more requests, and awaits those in flight. */
  async stop(): Promise<readonly LoadRequest[]> {
    this.stopping.abort();
    await this.running;
    await Promise.all(this.underWay);
    this.agent.destroy();
    return this.asked;
  }

  /** Repeats a write, as a client without an answer would. */
  async repeat(write: Write): Promise<Answer> {
    const [[, url] = ['', '']] = this.target.gateways();
    return this.post(url, write);
  }

  private async sendRequests(perSecond: number): Promise<void> {
    const beganMs = performance.now();
    for (let sent = 0; !this.stopping.signal.aborted; await sleep(tickMs)) {
      const due = ((performance.now() - beganMs) * perSecond) / 1000;
      for (; sent < due; sent += 1) this.send(sent);
    }
  }

  private send(number: number): void {
    const gateways = [...this.target.gateways()];
    const [gateway, url] = gateways[number % gateways.length] ?? ['none', ''];
    const one = this.ask(number, gateway, url).finally(() => this.underWay.delete(one));
    this.underWay.add(one);
  }

  private async ask(number: number, gateway: string, url: string): Promise<void> {
    const { conversations, mailbox } = this.target;
    const conversation = conversations[number % conversations.length] ?? '';
    const write: Write | null =
      number % writeEvery === 0
        ? { conversation, text: randomUUID(), idempotencyKey: `fault-${randomUUID()}` }
        : null;
    const sentMs = performance.now();
    const answer = await (
      write
        ? this.post(url, write)
        : this.http(url, 'GET', `/v1/conversations?mailbox=${encodeURIComponent(mailbox)}&limit=5`)
    ).then(
      ({ status }): Outcome => status,
      (error: unknown): Outcome =>
        error instanceof Error && error.name === 'TimeoutError' ? 'late' : 'cut off',
    );
    this.asked.push({ gateway, sentMs, endedMs: performance.now(), outcome: answer, write });
  }

  private post(url: string, { conversation, text, idempotencyKey }: Write): Promise<Answer> {
    const body = JSON.stringify({ mailbox: this.target.mailbox, text });
    return this.http(url, 'POST', `/v1/conversations/${conversation}/comment`, body, {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'idempotency-key': idempotencyKey,
    });
  }

  private http(
    base: string,
    method: string,
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const { agent, target } = this;
    const signal = AbortSignal.timeout(answeredWithinMs);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        reject(signal.aborted ? (signal.reason as Error) : (error as Error));
      };
      request(
        base + path,
        { method, agent, signal, headers: { 'x-api-key': target.apiKey, ...headers } },
        (incoming) => {
          textOf(incoming).then((text) => {
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
          }, fail);
        },
      )
        .on('error', fail)
        .end(body);
    });
  }
}
