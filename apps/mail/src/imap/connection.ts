import { isIP } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Signal } from '@postroom/concurrency';
import type { OutboundGuard } from '@postroom/outbound';
import { ImapFlow, type FetchMessageObject, type FetchQueryObject } from 'imapflow';
import {
  compact,
  flaggedOf,
  headOf,
  isSame,
  numbersIn,
  uidMax,
  withSource,
} from './fetched-rows.js';
import type { ImapLogin } from '../accounts/index.js';
import { FolderRefused, ServerUnbounded } from './faults.js';
import { foldersOf } from './listed-folders.js';
import {
  type Changes,
  type Fetched,
  type Flagged,
  type FolderNumbers,
  type Head,
  type ListedFolder,
  type RemoteMailbox,
  type Since,
  type Source,
} from './remote-mailbox.js';

/** The server of a mailbox's account, and a login there. */
type ImapAccount = Omit<ImapLogin, 'refused'>;

const mebi = 1024 * 1024;
/** A larger message is read by its header alone. */
export const sourceBytesMax = 50 * mebi;
const setUpMs = 15_000;
/** A stalled FETCH is noticed by it alone. */
const silenceMs = 60_000;
/** Servers end IDLE after 10 to 29 minutes. */
const idleMs = 9 * 60_000;
/** The interval at which a server without IDLE is asked. */
const pollMs = 15_000;
const watchMs = 250;
const addressesTried = 3;
const uidsMax = 1_000_000;
const rowsAtOnce = 500;
const flagsAtOnce = 5_000;

/** The bounds of one command: a server that brings more, or takes longer, is left. */
interface Bounds {
  readonly bytes: number;
  readonly ms: number;
}
const ordinary: Bounds = { bytes: 32 * mebi, ms: 120_000 };

/** Errors of a connection to one of several addresses, after which the next one is tried. */
const addressFaults = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'CONNECT_TIMEOUT']);

/** One signed-in connection. Nothing that the server says is trusted: each command is bounded in bytes and time. */
export class ImapConnection implements RemoteMailbox {
  private readonly stirred = new Signal();
  /** Folders in which something has happened since they were looked at. */
  private readonly news = new Set<string>();
  /** Messages that a folder had when it was last looked at. */
  private readonly counted = new Map<string, number>();
  /** Counts of an opening that were news, so that a server whose counts never agree is not asked without end. */
  private readonly toldOf = new Map<string, number>();
  private vanished: number[] = [];
  private outOfBounds: ServerUnbounded | null = null;

  private constructor(private readonly client: ImapFlow) {
    const stir = ({ path }: { readonly path: string }): void => this.stir(path);
    client.on('exists', stir).on('flags', stir);
    client.on('close', () => this.stirred.notify());
  }

  /**
   * Connects to an address that the guard admits now, and signs in.
   * @throws TargetRefused, NameUnresolved, or the error of the connection
   */
  static async open(
    guard: OutboundGuard,
    account: ImapAccount,
    signal: AbortSignal,
  ): Promise<ImapConnection> {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
    aborted.catch(() => undefined);
    const admitted = guard.admit(account.host, account.port);
    const { addresses, isAllowListed } = await Promise.race([admitted, aborted]);
    let fault: unknown;
    for (const { address } of addresses.slice(0, addressesTried)) {
      signal.throwIfAborted();
      try {
        return await ImapConnection.dial(address, account, isAllowListed, signal);
      } catch (error) {
        fault = error;
        if (!addressFaults.has(codeOf(error))) break;
      }
    }
    throw fault;
  }

  private static async dial(
    address: string,
    { host, port, secure, user, password, accessToken }: ImapAccount,
    isAllowListed: boolean,
    signal: AbortSignal,
  ): Promise<ImapConnection> {
    const given: { connection?: ImapConnection } = {};
    const client = new ImapFlow({
      ...{ host: address, port, secure },
      ...(isIP(host) === 0 && { servername: host }),
      // Without it a server that offers no STARTTLS is signed in to in clear text.
      ...(!secure && !isAllowListed && { doSTARTTLS: true }),
      ...(isAllowListed && { tls: { rejectUnauthorized: false } }),
      auth: { user, ...(accessToken === null ? { pass: password ?? '' } : { accessToken }) },
      clientInfo: { name: 'Postroom' },
      qresync: true,
      disableAutoIdle: true,
      disableCompression: true,
      maxIdleTime: idleMs,
      socketTimeout: silenceMs,
      ...{ connectionTimeout: setUpMs, greetingTimeout: setUpMs },
      ...{ maxLiteralSize: sourceBytesMax + mebi, maxResponseSize: sourceBytesMax + 2 * mebi },
      ...{ maxLineLength: 16 * mebi, maxResponseTokens: 100_000 },
      // Its log has addresses.
      logger: false,
      expungeHandler: ({ path, uid }) => given.connection?.expunged(path, uid),
    });
    // Without a listener an error after the end would end the process.
    client.on('error', () => undefined);
    const abort = (): void => client.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await client.connect();
    } catch (error) {
      client.close();
      throw error;
    }
    given.connection = new ImapConnection(client);
    return given.connection;
  }

  async list(): Promise<readonly ListedFolder[]> {
    return foldersOf(await this.within(ordinary, () => this.client.list()));
  }

  changes(path: string, since: Since | null, horizon: Date | null): Promise<Changes> {
    return this.within({ ...ordinary, ms: 10 * 60_000 }, async () => {
      this.news.delete(path);
      const numbers = await this.numbersOf(path);
      this.counted.set(path, numbers.counted);
      const nothing = { numbers, uids: [], flagged: [], vanished: [], present: null };
      if (since && isSame(numbers, since) && !since.allFlags) return nothing;
      return this.opened(path, async () => {
        const to = numbers.uidNext - 1;
        if (since?.uidValidity !== numbers.uidValidity || since.uidNext > numbers.uidNext) {
          return { ...nothing, uids: await this.uidsIn(1, to, horizon) };
        }
        const uids = await this.uidsIn(since.uidNext, to, null);
        const { flagged, vanished } = await this.changed(since, numbers);
        // Without QRESYNC nothing says which are gone; the count does that some are.
        const isTold = since.counted + uids.length - vanished.length === numbers.counted;
        const present = isTold ? null : await this.uidsIn(since.readFrom, to, null);
        return { numbers, uids, flagged, vanished, present };
      });
    });
  }

  async heads(path: string, uids: readonly number[]): Promise<Fetched<Head>> {
    const query = { uid: true, flags: true, size: true, internalDate: true };
    return this.fetched(path, uids, { ...query, headers: ['message-id'] }, ordinary, headOf);
  }

  async sources(path: string, heads: readonly Head[]): Promise<Fetched<Source>> {
    const byUid = new Map(heads.map((head) => [head.uid, head]));
    const small = heads.filter(({ sizeBytes }) => sizeBytes <= sourceBytesMax);
    const bytes = small.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const whole = await this.fetched(
      path,
      small.map(({ uid }) => uid),
      { uid: true, source: true },
      { bytes: 2 * bytes + mebi, ms: 10 * 60_000 },
      ({ uid, source }) => withSource(byUid.get(uid), source, true),
    );
    if (whole.fault !== undefined) return whole;
    const large = heads.filter(({ sizeBytes }) => sizeBytes > sourceBytesMax);
    const others = await this.fetched(
      path,
      large.map(({ uid }) => uid),
      { uid: true, headers: true },
      { bytes: 4 * mebi * Math.max(1, large.length), ms: ordinary.ms },
      ({ uid, headers }) => withSource(byUid.get(uid), headers, false),
    );
    const came = [...whole.came, ...others.came];
    return { ...others, came, missing: [...whole.missing, ...others.missing] };
  }

  async wait(path: string, ms: number): Promise<boolean> {
    if (!this.news.has(path) && this.client.usable) await this.idle(path, ms);
    if (!this.client.usable) throw new Error('the connection was closed');
    return this.news.has(path);
  }

  private async idle(path: string, ms: number): Promise<void> {
    const canIdle = this.client.capabilities.has('IDLE');
    await this.opened(path, async () => {
      // A message that came between the look and the opening is told of by the opening alone.
      const { mailbox } = this.client;
      if (mailbox && this.isNews(path, mailbox.exists)) return this.stir(path);
      const idling = canIdle ? this.client.idle() : Promise.resolve();
      await this.stirred.wait(canIdle ? ms : Math.min(ms, pollMs));
      // It ends IDLE, and brings what a server without it has to tell.
      await this.within(ordinary, () => this.client.noop());
      await idling;
    });
  }

  private isNews(path: string, exists: number): boolean {
    if (exists === this.counted.get(path) || exists === this.toldOf.get(path)) return false;
    this.toldOf.set(path, exists);
    return true;
  }

  wake(): void {
    this.stirred.notify();
  }

  close(): void {
    this.client.close();
  }

  /** Yields to the event loop, since one line of a server may name millions. */
  private async expunged(path: string, uid: number | undefined): Promise<void> {
    this.stir(path);
    if (uid === undefined) return;
    if (this.vanished.push(uid) % 1_000 === 0) await turn();
    if (this.vanished.length <= uidsMax) return;
    this.leave();
    await new Promise(() => undefined);
  }

  private stir(path: string): void {
    this.news.add(path);
    this.stirred.notify();
  }

  private leave(): void {
    this.outOfBounds ??= new ServerUnbounded('the server answers more, or slower, than it may');
    this.client.close();
  }

  /** Runs a command within its bounds; past them the connection is closed. */
  private async within<T>({ bytes, ms }: Bounds, command: () => Promise<T>): Promise<T> {
    const untilMs = performance.now() + ms;
    const allowed = this.client.stats().received + bytes;
    const watch = setInterval(() => {
      const isOver = this.client.stats().received > allowed || performance.now() > untilMs;
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

  private async opened<T>(path: string, work: () => Promise<T>): Promise<T> {
    const lock = await this.client
      .getMailboxLock(path, { acquireTimeout: silenceMs })
      .catch((cause: unknown) => {
        if (!this.client.usable) throw cause;
        throw new FolderRefused(`the server does not open the folder ${path}`, { cause });
      });
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  private async numbersOf(path: string): Promise<FolderNumbers> {
    const query = { messages: true, uidNext: true, uidValidity: true, highestModseq: true };
    const status = await this.client.status(path, query).catch(() => false as const);
    if (status && status.uidNext && status.uidValidity) return numbersIn(status, status.messages);
    return this.opened(path, async () => {
      const { client } = this;
      if (!client.mailbox) throw new Error(`the folder ${path} cannot be opened`);
      const uids = await this.uidsIn(1, uidMax, null);
      const uidNext = (uids.at(-1) ?? 0) + 1;
      return numbersIn({ ...client.mailbox, uidNext }, client.mailbox.exists);
    });
  }

  /** UIDs of the opened folder, ascending, each once. */
  private async uidsIn(from: number, to: number, horizon: Date | null): Promise<number[]> {
    if (from > to) return [];
    const asked = { uid: `${from}:${to}`, ...(horizon && { since: horizon }) };
    const found = await this.client.search(asked, { uid: true });
    if (!Array.isArray(found)) throw new Error('the server does not say what is in the folder');
    const inRange = found.filter((uid) => uid >= from && uid <= to);
    return [...new Set(inRange)].sort((a, b) => a - b).slice(-uidsMax);
  }

  private async changed(
    since: Since,
    numbers: FolderNumbers,
  ): Promise<Pick<Changes, 'flagged' | 'vanished'>> {
    const flagged: Flagged[] = [];
    this.vanished = [];
    const known = since.uidNext - 1;
    if (known < 1) return { flagged, vanished: [] };
    const ask = async (from: number, to: number, changedSince?: bigint): Promise<void> => {
      const options = { uid: true, ...(changedSince !== undefined && { changedSince }) };
      for await (const row of this.client.fetch(`${from}:${to}`, { flags: true }, options)) {
        if (row.uid && row.uid <= known && row.flags) flagged.push(flaggedOf(row));
      }
    };
    const { highestModseq, readFrom } = since;
    if (highestModseq !== null && numbers.highestModseq !== null) {
      if (highestModseq !== numbers.highestModseq) await ask(1, known, BigInt(highestModseq));
    } else if (since.allFlags) {
      for (let from = readFrom; from <= known; from += flagsAtOnce) {
        await ask(from, Math.min(known, from + flagsAtOnce - 1));
      }
    }
    return { flagged, vanished: this.vanished.filter((uid) => uid <= known) };
  }

  /** Asks for messages of a folder, collects what comes, and says what did not. */
  private async fetched<T extends { readonly uid: number }>(
    path: string,
    uids: readonly number[],
    query: FetchQueryObject,
    bounds: Bounds,
    read: (row: FetchMessageObject) => T | null,
  ): Promise<Fetched<T>> {
    const missing = new Set(uids);
    const came: T[] = [];
    const take = (row: FetchMessageObject): void => {
      if (!missing.has(row.uid)) return;
      const one = read(row);
      if (!one) return;
      missing.delete(row.uid);
      came.push(one);
    };
    try {
      for (let at = 0; at < uids.length; at += rowsAtOnce) {
        const range = compact(uids.slice(at, at + rowsAtOnce));
        await this.within(bounds, () =>
          this.opened(path, async () => {
            for await (const row of this.client.fetch(range, query, { uid: true })) take(row);
          }),
        );
      }
      return { came, missing: [...missing] };
    } catch (error) {
      const fault = Error.isError(error) ? error : new Error(String(error));
      return { came, missing: [...missing], fault };
    }
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
