import type { Draft } from '@postroom/contracts';
import { newIdempotencyKey } from '../api/api.js';
import { ApiProblem, ConnectionLost } from '../api/problem.js';
import { contentOf, isSame, type Content } from './content.js';
import { findDraft, removeDraft, saveDraft, type Save, type Stored } from './draft-requests.js';

/** The state of a message that is being written. */
export interface SessionState {
  readonly content: Content;
  /** The content that the server has, or that the form began with. */
  readonly saved: Content;
  readonly draft: Stored | null;
  /** When the server last took it; epoch milliseconds. */
  readonly savedAt: number | null;
  readonly saving: 'no' | 'now' | 'waiting';
  /** Why it could not be saved. */
  readonly error: unknown;
  /** The draft as another member has saved it meanwhile. */
  readonly conflict: Draft | null;
  /** It is being sent: nothing may change. */
  readonly isSending: boolean;
  /** Why a send at its time has failed. */
  readonly failure: string | null;
}

/** The part that a reload finds again. */
export interface Kept extends Pick<SessionState, 'content' | 'saved' | 'draft' | 'failure'> {
  readonly pending: Save | null;
}

const pauseMs = 800;

/** A message that is being written: saved by itself, kept in this tab until the server has it. */
export class DraftSession {
  /** No page shows it any more; it ends once the server has it. */
  isLeft = false;
  private state: SessionState;
  private pending: Save | null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private running: Promise<void> | null = null;
  private readonly listeners = new Set<() => void>();

  constructor(
    kept: Kept,
    private readonly keep: (kept: Kept | null) => void,
  ) {
    const { pending, ...known } = kept;
    this.pending = pending;
    this.state = {
      ...{ savedAt: null, saving: 'no', error: null, conflict: null, isSending: false },
      ...known,
    };
    this.keepNow();
    if (this.isDirty()) this.saveSoon();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  readonly get = (): SessionState => this.state;

  readonly change = (patch: Partial<Content>): void => {
    if (this.state.isSending) return;
    this.set({ content: { ...this.state.content, ...patch }, error: null });
    this.keepNow();
    this.saveSoon();
  };

  isDirty(): boolean {
    return this.pending !== null || !isSame(this.state.content, this.state.saved);
  }

  setSending(isSending: boolean): void {
    this.set({ isSending });
  }

  /** Resolves when the server has all of it, in a draft. @throws what it was refused with */
  async flush(): Promise<Stored> {
    this.set({ error: null });
    while (this.isDirty() || !this.state.draft) {
      if (this.state.conflict) throw new DraftConflict();
      await this.save();
      if (this.state.error instanceof Error) throw this.state.error;
    }
    return this.state.draft;
  }

  /** Takes the server's version for the one that this was written over; the text is either's. */
  settle(take: 'mine' | 'theirs'): void {
    const { conflict } = this.state;
    if (!conflict) return;
    const { id, version } = conflict;
    const theirs = contentOf(conflict);
    this.set({
      ...{ conflict: null, draft: { id, version }, saved: theirs, error: null },
      ...(take === 'theirs' && { content: theirs }),
    });
    this.keepNow();
    this.saveSoon();
  }

  /** Goes on in a draft of its own, where the one it was in is gone. */
  continueInNewDraft(): void {
    this.set({ draft: null, error: null, failure: null });
    this.keepNow();
    this.saveSoon();
  }

  /** Writes on in another mailbox: drafts stay in theirs, so it becomes a new one there. */
  async move(mailbox: string, signatureId: string | null): Promise<void> {
    if (this.isDirty()) await this.save();
    const { content, draft } = this.state;
    this.set({ content: { ...content, mailbox, signatureId }, draft: null, error: null });
    this.keepNow();
    if (!draft) return;
    this.saveSoon();
    removeDraft(content.mailbox, draft.id).catch(() => undefined);
  }

  /** Learns a later version that holds the same text. */
  know({ id, version, scheduled }: Draft): void {
    this.set({ draft: { id, version }, failure: scheduled?.reason ?? null });
    this.keepNow();
  }

  meet(conflict: Draft): void {
    this.set({ conflict });
  }

  /**
   * Looks for a version that another member has saved. It is shown at once where nothing is unsaved, and is a conflict
   * otherwise; a save under way finds out by itself.
   */
  async catchUp(): Promise<void> {
    await this.running;
    const { content, draft } = this.state;
    const latest = draft && (await findDraft(content.mailbox, draft.id).catch(() => null));
    if (!latest || !this.isBehind(latest)) return;
    const hasUnsaved = this.isDirty();
    if (isSame(contentOf(latest), this.state.saved)) this.know(latest);
    else {
      this.meet(latest);
      if (!hasUnsaved) this.settle('theirs');
    }
  }

  /** True of a later version of the draft, which no save or send under way comes upon by itself. */
  private isBehind({ id, version }: Draft): boolean {
    const { draft, isSending } = this.state;
    return draft?.id === id && version > draft.version && !isSending && !this.running;
  }

  /** Closes it: what is not saved is saved, and found again among the drafts. */
  leave(): void {
    this.isLeft = true;
    const end = (): void => {
      if (this.isLeft) this.close();
    };
    if (this.isDirty()) this.flush().then(end, () => undefined);
    else end();
  }

  /** The end of it: what was kept in this tab is forgotten. */
  close(): void {
    if (this.timer) clearTimeout(this.timer);
    this.listeners.clear();
    this.keep(null);
  }

  private saveSoon(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(), pauseMs);
  }

  private save(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.running ??= this.saveAll().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async saveAll(): Promise<void> {
    // oxlint-disable-next-line no-useless-assignment -- a failure counts on from it
    for (let attempts = 0; this.mustSave(); attempts += 1) {
      const { content, draft } = this.state;
      this.pending ??= { content, over: draft, key: newIdempotencyKey() };
      this.set({ saving: 'now' });
      this.keepNow();
      try {
        this.took(this.pending, await saveDraft(this.pending));
        attempts = 0;
      } catch (error) {
        if (!isPassing(error)) return this.refused(error);
        this.set({ saving: 'waiting' });
        await pause(attempts);
      }
    }
    this.set({ saving: 'no' });
  }

  private mustSave(): boolean {
    const { conflict, error, draft } = this.state;
    return !conflict && !error && (this.isDirty() || !draft);
  }

  private took({ content }: Save, draft: Draft): void {
    this.pending = null;
    this.set({
      ...{ saved: content, draft: { id: draft.id, version: draft.version } },
      ...{ savedAt: Date.now(), failure: null },
    });
    this.keepNow();
  }

  private async refused(error: unknown): Promise<void> {
    const over = this.pending?.over;
    this.pending = null;
    if (over && error instanceof ApiProblem && error.code === 'VERSION_CONFLICT') {
      const theirs = await findDraft(this.state.content.mailbox, over.id).catch(() => null);
      this.set(theirs ? { saving: 'no', conflict: theirs } : { saving: 'no', error });
    } else this.set({ saving: 'no', error });
    this.keepNow();
  }

  private keepNow(): void {
    const { content, saved, draft, failure } = this.state;
    this.keep({ content, saved, draft, failure, pending: this.pending });
  }

  private set(patch: Partial<SessionState>): void {
    this.state = { ...this.state, ...patch };
    for (const listener of this.listeners) listener();
  }
}

/** Another member has changed the draft: this one decides first. */
export class DraftConflict extends Error {}

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  (error instanceof ApiProblem && [429, 502, 503, 504].includes(error.status));

/** Waits the longer the more attempts were in vain, and no longer than until the network is back. */
export const pause = (attempts: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(15_000, 1_000 * 2 ** attempts));
    addEventListener('online', end);
  });
