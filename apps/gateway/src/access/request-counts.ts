import { randomUUID } from 'node:crypto';
import { statement, type Database } from '@postroom/persistence';

/** Requests that a gateway has let through, by caller and class of requests. */
type Counts = Readonly<Record<string, number>>;

/** A gateway's counts since the last time, and the last number received from each other gateway. */
export interface SentCounts {
  /** Each instance numbers what it sends, from 1. */
  readonly number: number;
  readonly counts: Counts;
  readonly received: Readonly<Record<string, number>>;
}

/** The counts that another gateway has sent. */
export interface ReceivedCounts {
  readonly instance: string;
  readonly number: number;
  readonly agoMs: number;
  readonly counts: Counts;
}

const exchange = statement<{ received: readonly ReceivedCounts[] }>(
  'access.exchange_request_counts',
  'SELECT exchange_request_counts($1, $2, $3, $4) AS received',
);

/** Exchanges with the other gateways what each has counted for the rate limits. */
export class RequestCounts {
  private readonly instance = randomUUID();

  constructor(private readonly database: Database) {}

  async exchange({ number, counts, received }: SentCounts): Promise<readonly ReceivedCounts[]> {
    const sent = [this.instance, number, JSON.stringify(counts), JSON.stringify(received)];
    const [row] = await this.database.rows(exchange, sent);
    return row?.received ?? [];
  }
}
