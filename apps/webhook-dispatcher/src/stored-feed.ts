import { isId, Problem, timeOfId, type EventPage, type FeedEvent } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { slotsOf } from './retention.js';

type Rows = Pick<Reading, 'rows'>;

interface FeedRow {
  /** Null in the one row of a page without events. */
  readonly event_id: string | null;
  readonly envelope: string | null;
  readonly more: boolean | null;
  readonly last_id: string | null;
  readonly more_to_scan: boolean;
}

const positionOf = statement<{ position: string | null }>(
  'webhooks.feed_position',
  'SELECT feed_position($1, $2) AS position',
);

const readPage = statement<FeedRow>(
  'webhooks.read_feed',
  'SELECT * FROM read_feed($1, $2, $3, $4, $5, $6, $7)',
);

const endOf = statement<FeedPosition>(
  'webhooks.feed_end',
  'SELECT position, event_id AS event FROM feed_end($1)',
);

const oldestOf = statement<{ oldest: string | null }>(
  'webhooks.oldest_event',
  'SELECT oldest_event($1) AS oldest',
);

const lacks = statement<{ lacks: boolean }>(
  'webhooks.lacks_events',
  'SELECT lacks_events($1, $2, $3) AS lacks',
);

/** True where one of these events, of the last days, is not recorded yet. */
export async function lacksEvents({ rows }: Rows, ids: readonly string[]): Promise<boolean> {
  const [answer] = await rows(lacks, [ids, ids.map((id) => slotsOf(id).day)]);
  return answer?.lacks ?? true;
}

/** Bytes of a page, and events that are scanned for one, however few of them match. */
const pageBytesMax = 4 * 1024 * 1024;
export const scanMax = 5_000;

/** True for an event that is not kept any more. */
function isOlder(event: string, keptSinceMs: number): boolean {
  const madeMs = isId('evn', event) ? timeOfId(event) : 0;
  return madeMs > 0 && madeMs < keptSinceMs;
}

/** A position of the feed, and the event at it; null where there is none before it. */
export interface FeedPosition {
  readonly position: string;
  readonly event: string | null;
}

/**
 * The position of an event, or of the present end (`latest`); without one, the position before the first.
 * @throws Problem EVENTS_AGED_OUT, INVALID_REQUEST
 */
export async function positionAfter(
  { rows }: Rows,
  after: string | undefined,
  keptSinceMs: number,
): Promise<FeedPosition> {
  const start = { position: '0', event: null };
  if (after === undefined) return start;
  if (after === 'latest') return (await rows(endOf, []))[0] ?? start;
  const [found] = await rows(positionOf, [after]);
  if (found?.position != null) return { position: found.position, event: after };
  if (isOlder(after, keptSinceMs)) {
    const [kept] = await rows(oldestOf, []);
    throw new Problem('EVENTS_AGED_OUT', { fields: { oldest: kept?.oldest ?? null } });
  }
  const message = { fr: 'événement inconnu', en: 'there is no such event' };
  throw new Problem('INVALID_REQUEST', {
    violations: [{ field: 'after', fault: 'UNKNOWN_VALUE', message }],
  });
}

/** Filters of the feed, and the size of a page. */
export interface FeedView {
  readonly types: readonly string[];
  readonly mailboxes: readonly string[];
  readonly limit: number;
}

/** The page that follows a position. */
export async function pageAfter(
  { rows }: Rows,
  position: string,
  { types, mailboxes, limit }: FeedView,
): Promise<EventPage> {
  const bounds = [limit, pageBytesMax, scanMax];
  const found = await rows(readPage, [position, types, mailboxes, ...bounds]);
  const events = found.flatMap(({ envelope }) =>
    envelope === null ? [] : [JSON.parse(envelope) as FeedEvent],
  );
  const last = found.at(-1);
  if (last?.more) return { events, nextAfter: last.event_id, truncated: true };
  return { events, nextAfter: last?.last_id ?? null, truncated: last?.more_to_scan ?? false };
}
