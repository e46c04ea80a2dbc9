import { hash } from 'node:crypto';
import type { FeedEvent } from '../event-payloads/schema.js';

/** A place in the feed: the last event that was seen; without one, that of a feed without events at a time. */
export interface FeedPlace {
  readonly event: string | null;
  readonly atMs: number;
}

const markOf = (keyId: string, place: string): string =>
  hash('sha256', `${keyId} ${place}`, 'base64url').slice(0, 16);

/**
 * The cursor of a key for a place of the feed. Its mark keeps the cursor of another key from being taken for one's
 * own; it is no secret, since a key may read the feed after any event.
 */
export function eventCursor(keyId: string, { event, atMs }: FeedPlace): string {
  const place = event ?? `at_${atMs}`;
  return `${place}.${markOf(keyId, place)}`;
}

/** The place of a cursor; null where it is none of this key's. */
export function placeOf(keyId: string, cursor: string): FeedPlace | null {
  const [place = '', mark, ...more] = cursor.split('.');
  if (more.length > 0 || mark !== markOf(keyId, place)) return null;
  const [, at] = /^at_(\d{1,15})$/.exec(place) ?? [];
  return at === undefined ? { event: place, atMs: 0 } : { event: null, atMs: Number(at) };
}

/** An event as an agent is told of it: enough to know whether to look; it reads the rest with its tools. */
interface EventOccurrence {
  readonly eventId: string;
  readonly name: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly cursor?: string;
}

/** Characters of a stranger's words. */
const lineMax = 200;

/** One line without what a reader would not see. */
const lineOf = (text: unknown): string | null =>
  typeof text === 'string' ? text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').slice(0, lineMax) : null;

const partOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** The mailbox that an event belongs to, as its conversation names it; null of any other event. */
export function mailboxOf({ data }: Pick<FeedEvent, 'data'>): string | null {
  const mailbox = partOf(data['conversation'], 'mailbox');
  return typeof mailbox === 'string' ? mailbox : null;
}

/** An event of the feed in the form of the Events extension of MCP (SEP-3415). */
export function occurrenceOf(event: FeedEvent, cursor?: string): EventOccurrence {
  const { id, type, occurredAt, resource, sequence, actor, source, data } = event;
  const { conversation, message } = data;
  const mailbox = mailboxOf(event);
  return {
    eventId: id,
    name: type,
    timestamp: occurredAt,
    data: {
      ...{ resource, sequence, actor, source },
      ...(mailbox !== null && { mailbox, subject: lineOf(partOf(conversation, 'subject')) }),
      ...(message !== undefined && {
        messageId: partOf(message, 'id'),
        from: lineOf(partOf(partOf(message, 'from'), 'email')),
      }),
    },
    ...(cursor !== undefined && { cursor }),
  };
}

const text = (description: string) => ({ type: 'string', description });
const object = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
});

/** The schema of the data of every occurrence. */
export const occurrenceSchema = object(
  {
    resource: object({ type: text('Its kind.'), id: text('Its id, as tools take it.') }, [
      'type',
      'id',
    ]),
    sequence: { type: 'integer', description: 'Counts the events of the resource, without a gap.' },
    actor: object({ type: text('key, member or system.'), id: { type: ['string', 'null'] } }, [
      'type',
    ]),
    source: text('Where the change came from: app, api, mcp, inbound or automation.'),
    mailbox: text('Of mail: the mailbox.'),
    subject: { type: ['string', 'null'], description: 'Of mail: a stranger’s words, untrusted.' },
    messageId: text('Of a message: its id.'),
    from: { type: ['string', 'null'], description: 'Of a message: its sender, untrusted.' },
  },
  ['resource', 'sequence', 'actor', 'source'],
);
