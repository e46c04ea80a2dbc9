import { setImmediate as turn } from 'node:timers/promises';
import { Signal } from '@postroom/concurrency';
import type { ImapFlow } from 'imapflow';
import { FolderRefused, ServerUnbounded } from './faults.js';

export const mebi = 1024 * 1024;
/** A stalled FETCH is noticed by it alone. */
export const silenceMs = 60_000;
/** Servers end IDLE after 10 to 29 minutes. */
export const idleMs = 9 * 60_000;
/** The interval at which a server without IDLE is asked. */
const pollMs = 15_000;
const watchMs = 250;
/** UIDs that one answer may name. */
export const uidsMax = 1_000_000;

/** The bounds of one command: a server that brings more, or takes longer, is left. */
export interface Bounds {
  readonly bytes: number;
  readonly ms: number;
}
export const ordinary: Bounds = { bytes: 32 * mebi, ms: 120_000 };

/** One signed-in connection. Nothing that the server says is trusted: each command is bounded in bytes and time. */
export class ImapClient {
  private readonly stirred = new Signal();
  /** Folders in which something has happened since they were looked at. */
  private readonly news = new Set<string>();
  /** Messages that a folder had when it was last looked at. */
  private readonly counted = new Map<string, number>();
  /** Counts of an opening that were news, so that a server whose counts never agree is not asked without end. */
  private readonly toldOf = new Map<string, number>();
  private vanished: number[] = [];
  private outOfBounds: ServerUnbounded | null = null;
  /** The last refusal of the server, for commands that say no more than that it failed. */
  private refusal: unknown = null;

  constructor(readonly flow: ImapFlow) {
    const stir = ({ path }: { readonly path: string }): void => this.stir(path);
    flow.on('exists', stir).on('flags', stir);
    flow.on('close', () => this.stirred.notify());
  }

  /** Keeps what the server refused; imapflow writes it only to its log for searches, flags and moves. */
  refused(error: unknown): void {
    this.refusal = error;
  }

  /** An error of ours, because of what the server refused last. */
  because(message: string): Error {
    return new Error(message, { cause: this.refusal });
  }

  /** Runs a command within its bounds; past them the connection is closed. */
  async within<T>({ bytes, ms }: Bounds, command: () => Promise<T>): Promise<T> {
    const untilMs = performance.now() + ms;
    const allowed = this.flow.stats().received + bytes;
    this.refusal = null;
    const watch = setInterval(() => {
      const isOver = this.flow.stats().received > allowed || performance.now() > untilMs;
      if (isOver) this.leave();
    }, watchMs);
    try {
      return await command();
    } catch (error) {
      throw this.outOfBounds ?? error;
    } finally {
      clearInterval(watch);
    }
  }

  /**
   * Does something while a folder is open.
   * @throws FolderRefused
   */
  async opened<T>(path: string, work: () => Promise<T>): Promise<T> {
    const lock = await this.flow
      .getMailboxLock(path, { acquireTimeout: silenceMs })
      .catch((cause: unknown) => {
        if (!this.flow.usable) throw cause;
        throw new FolderRefused(`the server does not open the folder ${path}`, { cause });
      });
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  /** Notes that a folder is looked at: what was told of it until now is no news. */
  looksAt(path: string): void {
    this.news.delete(path);
  }

  /** Notes how many messages a folder had when it was looked at. */
  hasCounted(path: string, messages: number): void {
    this.counted.set(path, messages);
  }

  /** UIDs that the server said were gone while something was asked. */
  async vanishedDuring(work: () => Promise<void>): Promise<readonly number[]> {
    this.vanished = [];
    await work();
    return this.vanished;
  }

  async wait(path: string, ms: number): Promise<boolean> {
    if (!this.news.has(path) && this.flow.usable) await this.idle(path, ms);
    if (!this.flow.usable) throw new Error(this.flow.byeReason ?? 'the connection was closed');
    return this.news.has(path);
  }

  wake(): void {
    this.stirred.notify();
  }

  /** Yields to the event loop, since one line of a server may name millions. */
  async expunged(path: string, uid: number | undefined): Promise<void> {
    this.stir(path);
    if (uid === undefined) return;
    if (this.vanished.push(uid) % 1_000 === 0) await turn();
    if (this.vanished.length <= uidsMax) return;
    this.leave();
    await new Promise(() => undefined);
  }

  private async idle(path: string, ms: number): Promise<void> {
    const canIdle = this.flow.capabilities.has('IDLE');
    await this.opened(path, async () => {
      // A message that came between the look and the opening is told of by the opening alone.
      const { mailbox } = this.flow;
      if (mailbox && this.isNews(path, mailbox.exists)) return this.stir(path);
      const idling = canIdle ? this.flow.idle() : Promise.resolve();
      await this.stirred.wait(canIdle ? ms : Math.min(ms, pollMs));
      // It ends IDLE, and brings the news of a server without IDLE.
      await this.within(ordinary, () => this.flow.noop());
      await idling;
    });
  }

  private isNews(path: string, exists: number): boolean {
    if (exists === this.counted.get(path) || exists === this.toldOf.get(path)) return false;
    this.toldOf.set(path, exists);
    return true;
  }

  private stir(path: string): void {
    this.news.add(path);
    this.stirred.notify();
  }

  private leave(): void {
    this.outOfBounds ??= new ServerUnbounded('the server answers more, or slower, than it may');
    this.flow.close();
  }
}
