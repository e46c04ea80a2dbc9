import type { SearchResult } from '@postroom/contracts';
import { atOnceMax } from '../../api/in-turn.js';
import { ApiProblem } from '../../api/problem.js';
import { belongs, comparatorOf, type ListQuery } from './list-query.js';
import { readPage, type SourcePage } from './list-sources.js';
import { putRows, rowOf, type Row, type RowChange } from './rows.js';

/** A list as it is shown. */
export interface ListState {
  readonly ids: readonly string[];
  /** Conversations that came, or moved to the front, since the list was last in order. */
  readonly fresh: number;
  readonly isLoading: boolean;
  readonly isWhole: boolean;
  readonly error: unknown;
  readonly hits: ReadonlyMap<string, SearchResult>;
}

/** The pages of one mailbox. */
interface Source {
  readonly mailbox: string;
  pageToken: string | null;
  isDone: boolean;
  /** The last row of its last page. */
  end: Row | null;
}

const firstPage = 50;
const laterPages = 100;

/**
 * Conversations of one or several mailboxes in one order, page by page. Rows are changed where they stand: what
 * comes, or moves, waits until the reader asks for it, so that nothing jumps.
 */
export class ConversationList {
  private state: ListState = {
    ...{ ids: [], fresh: 0, isLoading: true, isWhole: false, error: null, hits: new Map() },
  };
  /** All rows of the list; of several mailboxes some may stand beyond what is shown. */
  private members = new Set<string>();
  private readonly fresh = new Set<string>();
  private readonly sources: Source[];
  private readonly listeners = new Set<() => void>();
  private readonly compare: (a: Row, b: Row) => number;
  private loading: Promise<void> | null = null;

  constructor(
    readonly query: ListQuery,
    mailboxes: readonly string[],
  ) {
    this.compare = comparatorOf(query);
    this.sources = mailboxes.map((mailbox) => ({
      ...{ mailbox, pageToken: null, isDone: false, end: null },
    }));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    // It got no events while it was not shown.
    if (this.query.view === 'sent' && !this.state.isLoading) void this.again();
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): ListState => this.state;

  isShown(): boolean {
    return this.listeners.size > 0;
  }

  /** Reads the next page, or the first; one at a time. */
  more(): Promise<void> {
    if (this.state.isWhole) return Promise.resolve();
    this.loading ??= this.load().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  /** Puts what has come in its place. */
  showFresh(): void {
    for (const id of this.fresh) this.members.add(id);
    this.fresh.clear();
    this.order();
  }

  /** Reads the first page again, of all mailboxes or some, for what was missed. */
  async again(mailboxes?: ReadonlySet<string>): Promise<void> {
    const pages = await Promise.all(
      this.sources
        .filter(({ mailbox }) => mailboxes?.has(mailbox) ?? true)
        .map(({ mailbox }) =>
          readPage(this.query, { mailbox, pageToken: null, limit: firstPage }).catch(() => null),
        ),
    );
    const rows = pages.flatMap((page) => page?.rows ?? []);
    for (const page of pages) this.takeHits(page?.hits);
    putRows(rows);
    for (const row of rows) if (!this.members.has(row.id)) this.fresh.add(row.id);
    this.set({ fresh: this.fresh.size });
  }

  /** A conversation is gone. */
  drop(id: string): void {
    this.fresh.delete(id);
    if (!this.members.delete(id)) return;
    this.set({ ids: this.state.ids.filter((one) => one !== id), fresh: this.fresh.size });
  }

  changed(changes: readonly RowChange[]): void {
    if (this.query.view === 'search' || this.state.isLoading) return;
    if (this.query.view === 'sent') return this.lookForSent(changes);
    const orders = changes.map((change) => this.place(change)).some((isMoved) => isMoved);
    if (orders) this.order();
    else if (this.fresh.size !== this.state.fresh) this.set({ fresh: this.fresh.size });
  }

  /** A row does not say who has written last: what was sent is asked for. */
  private lookForSent(changes: readonly RowChange[]): void {
    // A row that a search found has no version.
    const moved = changes.filter(
      ({ before, after }) =>
        after.version !== null && before?.lastMessageAt !== after.lastMessageAt,
    );
    if (moved.length > 0 && this.isShown())
      void this.again(new Set(moved.map(({ after }) => after.mailbox)));
  }

  /** @returns whether the rows must be put in order */
  private place({ before, after, isOwn }: RowChange): boolean {
    const { id } = after;
    if (!belongs(this.query, after)) {
      this.fresh.delete(id);
      return this.members.delete(id);
    }
    if (this.members.has(id)) {
      const hasMoved = before !== undefined && before.lastMessageAt !== after.lastMessageAt;
      return hasMoved && this.moves(id);
    }
    if (this.isBeyond(after) || !this.sources.some(({ mailbox }) => mailbox === after.mailbox))
      return false;
    if (isOwn || isOpenHere(id) || this.state.ids.length === 0) {
      this.members.add(id);
      return true;
    }
    this.fresh.add(id);
    return false;
  }

  /** A row that has come up waits to be shown; the one that is open moves at once. */
  private moves(id: string): boolean {
    if (isOpenHere(id)) return true;
    this.fresh.add(id);
    return false;
  }

  /** True if a page that is still to be read will have the row. */
  private isBeyond(row: Row): boolean {
    return this.sources.some(
      ({ mailbox, isDone, end }) =>
        mailbox === row.mailbox && !isDone && (end === null || this.compare(row, end) > 0),
    );
  }

  private async load(): Promise<void> {
    const { limit, wanted } = this.next();
    this.set({ isLoading: true, error: null });
    // A mailbox that does not answer is asked again by itself.
    const reads = await Promise.allSettled(
      wanted.map(async (source) => this.take(source, await this.read(source, limit))),
    );
    const failed = reads.find((read) => read.status === 'rejected');
    this.order({ error: failed?.reason ?? null });
    // A page that a search found may have nothing that the mailbox itself has sent.
    if (this.state.ids.length === 0 && !this.state.isWhole && !failed) return this.load();
    this.set({ isLoading: false });
  }

  /** The sources to read from: at first all, then those whose rows end first. */
  private next(): { readonly limit: number; readonly wanted: readonly Source[] } {
    const open = this.sources.filter(({ isDone }) => !isDone);
    const unread = open.filter(({ end }) => end === null);
    if (unread.length > 0) return { limit: firstPage, wanted: unread };
    const ends = open.toSorted((a, b) => (a.end && b.end ? this.compare(a.end, b.end) : 0));
    return { limit: laterPages, wanted: ends.slice(0, atOnceMax) };
  }

  /** A mailbox that the member may no longer read has no rows. */
  private read({ mailbox, pageToken }: Source, limit: number): Promise<SourcePage> {
    return readPage(this.query, { mailbox, pageToken, limit }).catch((error: unknown) => {
      const isOne = this.sources.length === 1;
      if (error instanceof ApiProblem && [403, 404].includes(error.status) && !isOne)
        return { rows: [], next: null };
      throw error;
    });
  }

  private take(source: Source, { rows, next, hits }: SourcePage): void {
    putRows(rows);
    for (const { id } of rows) this.members.add(id);
    source.pageToken = next;
    source.isDone = next === null;
    source.end = rows.at(-1) ?? source.end;
    this.takeHits(hits);
  }

  private takeHits(hits: SourcePage['hits']): void {
    if (hits) this.state = { ...this.state, hits: new Map([...this.state.hits, ...hits]) };
  }

  private order(more: Partial<ListState> = {}): void {
    const open = this.sources.filter(({ isDone }) => !isDone);
    const rows = [...this.members]
      .flatMap((id) => rowOf(id) ?? [])
      .toSorted(this.compare)
      // Rows below the end of a mailbox may have others of it between them.
      .filter((row) => open.every(({ end }) => end !== null && this.compare(row, end) <= 0));
    this.set({
      ids: rows.map(({ id }) => id),
      ...{ fresh: this.fresh.size, isWhole: open.length === 0 },
      ...more,
    });
  }

  private set(change: Partial<ListState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }
}

/** The conversation that the member has before them: its changes are their own, or are seen as they come. */
const isOpenHere = (id: string): boolean => location.pathname.endsWith(`/${id}`);
