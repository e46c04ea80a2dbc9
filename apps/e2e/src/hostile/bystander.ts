import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliver } from '../mail.js';
import { aMessage, senderFor, sendMessage } from '../sending.js';
import type { OwnKey, Workplace } from '../workplace.js';

/** The shortest pause after an action; it is as long as the action took, so that its work is no flood where that is slow. */
const pauseMsMin = 100;

/** The answer to an action. */
interface Answered {
  readonly status: number;
  readonly text?: string;
}

/** Actions by name, each answered with success or nothing. */
export type Works = Readonly<Record<string, () => Promise<Answered | void>>>;

/** The observations of a workspace. */
export interface Seen {
  /** The actions that failed, and why. */
  readonly failures: readonly string[];
  /** The slowest of each thing, milliseconds. */
  readonly slowestMs: Readonly<Record<string, number>>;
  /** The number of times that each was done. */
  readonly done: Readonly<Record<string, number>>;
}

/** A workspace that goes on with its work: lists, comments, sends, and mail that arrives for it. */
export class Bystander {
  private readonly failures: string[] = [];
  private readonly slowestMs: Record<string, number> = {};
  private readonly done: Record<string, number> = {};

  private constructor(
    private readonly place: Workplace,
    private readonly mailbox: string,
    private readonly key: OwnKey,
    private readonly conversation: string,
  ) {}

  static async in(place: Workplace): Promise<Bystander> {
    const mailbox = await place.mailbox();
    const key = await senderFor(place, mailbox);
    const { id } = await place.receive(key, mailbox);
    return new Bystander(place, mailbox, key, id);
  }

  /** Works while an attack goes on, and for a second at least. @param also what it does beside the usual */
  async during(attack: Promise<unknown>, also: Works = {}): Promise<Seen> {
    let isOver = false;
    const ended = Promise.all([attack, sleep(1_000)]).finally(() => (isOver = true));
    const { mailbox, key, conversation, place } = this;
    const works: Works = {
      ...also,
      list: () => key.get('/v1/conversations', { mailbox }),
      write: () =>
        key.post(
          `/v1/conversations/${conversation}/comment`,
          { mailbox, text: 'On it.' },
          `hostile-${randomUUID()}`,
        ),
      send: () => sendMessage(key, aMessage(mailbox)),
      inbound: () => deliver(place.product, { to: mailbox }),
    };
    await Promise.all(
      Object.entries(works).map(async ([what, work]) => {
        while (!isOver) {
          const tookMs = await this.timed(what, work);
          await sleep(Math.max(pauseMsMin, tookMs));
        }
      }),
    );
    await ended;
    const { failures, slowestMs, done } = this;
    return { failures, slowestMs, done };
  }

  private async timed(what: string, work: () => Promise<Answered | void>): Promise<number> {
    const before = performance.now();
    const failed = await work().then(
      (answer) =>
        answer && answer.status > 299 ? `${what}: ${answer.status} ${answer.text ?? ''}` : null,
      (error: unknown) => `${what}: ${String(error)}`,
    );
    if (failed !== null) this.failures.push(failed);
    this.done[what] = (this.done[what] ?? 0) + 1;
    const tookMs = Math.round(performance.now() - before);
    this.slowestMs[what] = Math.max(this.slowestMs[what] ?? 0, tookMs);
    return tookMs;
  }
}
