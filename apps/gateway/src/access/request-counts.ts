import { randomUUID } from 'node:crypto';
import { statement, type Database } from '@postroom/persistence';

/** Requests that a gateway has let through, by caller and class of requests. */
type Counts = Readonly<Record<string, number>>;

/** The counts that another gateway has sent. */
export interface ReceivedCounts {
  readonly agoMs: number;
  readonly counts: Counts;
}

interface Received extends ReceivedCounts {
  readonly instance: string;
  readonly number: number;
}

const exchange = statement<{ received: readonly Received[] }>(
  'access.exchange_request_counts',
  'SELECT exchange_request_counts($1, $2, $3, $4) AS received',
);

/** A gateway that was not heard of for so long has ended. */
const forgottenMs = 120_000;

/** Exchanges with the other gateways what each has counted for the rate limits. */
export class RequestCounts {
  private readonly instance = randomUUID();
  /** Each instance numbers what it sends, from 1. */
  private sent = 0;
  /** The last number received from each other gateway, and when. */
  private readonly others = new Map<string, { readonly number: number; readonly atMs: number }>();

  constructor(private readonly database: Database) {}

  /**
   * Sends what was counted since the last time.
   * @returns what the other gateways have sent meanwhile
   */
  async exchange(counts: Counts): Promise<readonly ReceivedCounts[]> {
    this.sent += 1;
    const numbers = [...this.others].map(([instance, { number }]) => [instance, number] as const);
    const known = JSON.stringify(Object.fromEntries(numbers));
    const sent = [this.instance, this.sent, JSON.stringify(counts), known];
    const [row] = await this.database.rows(exchange, sent);
    const received = row?.received ?? [];
    this.note(received);
    return received;
  }

  private note(received: readonly Received[]): void {
    const nowMs = performance.now();
    for (const { instance, number } of received) {
      const last = this.others.get(instance)?.number ?? 0;
      this.others.set(instance, { number: Math.max(last, number), atMs: nowMs });
    }
    for (const [instance, { atMs }] of this.others) {
      if (atMs < nowMs - forgottenMs) this.others.delete(instance);
    }
  }
}
