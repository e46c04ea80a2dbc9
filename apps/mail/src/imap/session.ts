import type { Budget } from '@postroom/limits';
import { readArrivals } from './arrivals.js';
import { carryOut } from './carry-out.js';
import { followMoves, lookAt } from './changes.js';
import { FolderRefused } from './faults.js';
import { foldersOf, isRead, watchedFolders } from './folders.js';
import { handOver } from './hand-over.js';
import type { KnownFolder } from './ledger.js';
import { fetchPiece, type Piece, type Sync } from './reading.js';
import { fileSent } from './sent-copies.js';

/** The interval at which folders other than the inbox are looked at. */
const othersMs = 2 * 60_000;
/** A move is a removal first; the other folder shows it soon. */
const moveMs = 1_000;
const listMs = 30 * 60_000;
/** Some servers announce a message before they show it. */
const hintsMs: readonly number[] = [1_000, 5_000, 20_000];

/** A turn of this workspace to read history. */
interface Turn {
  readonly end: () => void;
}

/**
 * Reads one mailbox as long as its connection and its lease last. New mail comes first; history is stored while the
 * inbox is watched again.
 */
export class Session {
  private readonly over = new AbortController();
  private othersAtMs = 0;
  private listAtMs = 0;
  private hints: number[] = [];
  private hasHistory = true;
  private turn: Turn | 'awaited' | null = null;
  private storing: Promise<void> | null = null;
  private fault: { readonly error: unknown } | null = null;
  /** Folders take turns with their history. */
  private historyAt = 0;

  constructor(
    private readonly sync: Sync,
    private readonly histories: Budget<'workspace'>,
    private readonly arrivals: Budget<'workspace'>,
    private readonly signal: AbortSignal,
  ) {}

  /** Ends a wait, since something is to be done. */
  wake(): void {
    this.sync.remote.wake();
  }

  /** @throws what ended it */
  async syncUntilEnded(): Promise<never> {
    try {
      for (;;) {
        const inbox = await this.round();
        const hasNews = await this.sync.remote.wait(inbox.path, this.waitMs());
        if (hasNews) this.hints = [...hintsMs];
        if (this.fault) throw this.fault.error;
        this.signal.throwIfAborted();
      }
    } finally {
      this.over.abort();
      await this.storing;
      if (this.turn !== null && this.turn !== 'awaited') this.turn.end();
    }
  }

  private async round(): Promise<KnownFolder> {
    const { remote, ledger } = this.sync;
    if (performance.now() >= this.listAtMs) {
      await foldersOf(remote, ledger);
      this.listAtMs = performance.now() + listMs;
    }
    const [inbox, ...others] = await this.folders();
    if (inbox?.role !== 'inbox') throw new Error('the account has no inbox');
    const hasMoved = await this.look(inbox);
    if (hasMoved) this.othersAtMs = Math.min(this.othersAtMs, performance.now() + moveMs);
    if (performance.now() >= this.othersAtMs) {
      this.othersAtMs = performance.now() + othersMs;
      for (const folder of others) await this.look(folder).catch(passOver);
      await followMoves(ledger);
    }
    const isUnknown = await carryOut(this.sync);
    if (isUnknown) this.othersAtMs = Math.min(this.othersAtMs, performance.now() + moveMs);
    if (await fileSent(this.sync, others)) await this.lookAtSent(others);
    await this.readHistory();
    this.hasHistory = await ledger.change((changing) => ledger.progress(changing));
    this.awaitTurn();
    return inbox;
  }

  private async lookAtSent(folders: readonly KnownFolder[]): Promise<void> {
    const sent = folders.find(({ role }) => role === 'sent');
    if (sent) await this.look(sent).catch(passOver);
  }

  private folders(): Promise<readonly KnownFolder[]> {
    const { ledger } = this.sync;
    return ledger.change(async (changing) => watchedFolders(await ledger.folders(changing)));
  }

  private async look(folder: KnownFolder): Promise<boolean> {
    const hasMoved = await lookAt(this.sync, folder);
    const now = (await this.folders()).find((one) => one.folder === folder.folder);
    if (now && isRead(now)) await readArrivals(this.sync, now, this.arrivals);
    return hasMoved;
  }

  private waitMs(): number {
    if (this.hasHistory && this.turn !== null && this.turn !== 'awaited' && !this.storing) return 0;
    const hint = this.hints.shift() ?? othersMs;
    return Math.max(0, Math.min(hint, this.othersAtMs - performance.now()));
  }

  /** Waits, beside everything else, until this workspace may read history. */
  private awaitTurn(): void {
    if (!this.hasHistory || this.turn !== null) return;
    this.turn = 'awaited';
    const { promise, resolve } = Promise.withResolvers<void>();
    const { signal } = this.over;
    const begin = (): Promise<void> => {
      if (signal.aborted) return Promise.resolve();
      this.turn = { end: resolve };
      this.sync.remote.wake();
      return promise;
    };
    const { tenantId: workspace } = this.sync.ledger.mailbox;
    this.histories.runInTurn({ workspace }, begin, { signal }).catch(() => undefined);
  }

  /** Fetches a piece of history in its turn, and stores it beside what follows. */
  private async readHistory(): Promise<void> {
    if (this.turn === null || this.turn === 'awaited' || this.storing) return;
    const { end } = this.turn;
    const readable = (await this.folders()).filter(isRead);
    const from = this.historyAt % Math.max(1, readable.length);
    this.historyAt += 1;
    for (const folder of [...readable.slice(from), ...readable.slice(0, from)]) {
      const piece = await fetchPiece(this.sync, folder, 'history');
      if (!piece) continue;
      if (piece.fault !== undefined) this.fault = { error: piece.fault };
      this.storing = this.store(folder, piece).finally(() => {
        piece.done();
        this.storing = null;
        this.turn = null;
        end();
        this.sync.remote.wake();
      });
      return;
    }
    this.turn = null;
    end();
  }

  private async store(folder: KnownFolder, { came }: Piece): Promise<void> {
    try {
      await handOver(this.sync, folder, came);
    } catch (error) {
      this.fault ??= { error };
    }
  }
}

/** One folder that cannot be opened keeps no other from being read. */
function passOver(error: unknown): boolean {
  if (error instanceof FolderRefused) return false;
  throw error;
}
