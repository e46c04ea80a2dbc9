import type { MessageParser } from '@postroom/mime';
import type { UnitOfWork } from '@postroom/operations/unit-of-work';
import { storePiece } from '../imap/history.js';
import { Ledger, LeaseLost } from '../imap/ledger.js';
import type { InboundStore } from './inbound-store.js';
import type { HistoryFailure, HistoryTask } from './inbound-thread.js';

/** Stores the history of accounts elsewhere that the main thread has fetched. */
export class HistoryStore {
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly parser: MessageParser,
    private readonly store: InboundStore,
    private readonly work: UnitOfWork,
  ) {}

  startStoring(task: HistoryTask): void {
    const running = this.answer(task).finally(() => this.running.delete(running));
    this.running.add(running);
  }

  /** Resolves when all that was begun has been answered. */
  async ended(): Promise<void> {
    await Promise.all(this.running);
  }

  private async answer({ answer, came, mailbox, folder }: HistoryTask): Promise<void> {
    const { parser, store, work } = this;
    const sources = came.map(({ raw: { buffer, byteOffset, byteLength }, ...source }) => ({
      ...source,
      raw: Buffer.from(buffer, byteOffset, byteLength),
    }));
    const inTurn: Pick<UnitOfWork, 'change'> = {
      change: (origin, ...change) =>
        store.inTurn(origin.tenantId, () => work.change(origin, ...change)),
    };
    const ledger = new Ledger(inTurn, mailbox);
    const stored = storePiece({ ledger, parser }, { mailbox, folder, came: sources });
    answer.postMessage(await stored.then(() => null, failureOf));
    answer.close();
  }
}

const failureOf = (error: unknown): HistoryFailure => ({
  message: Error.isError(error) ? error.message : String(error),
  isLeaseLost: error instanceof LeaseLost,
});
