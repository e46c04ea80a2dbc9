import {
  continuationHeader,
  eventCursor,
  eventSubscriptions,
  FileAnswer,
  occurrenceOf,
  Problem,
  type FeedPlace,
  accessEnded,
  rpcCodes,
} from '@postroom/contracts';
import type { OperationClient } from '@postroom/operations';
import { invalidParams, RpcError, type RequestId } from '../json-rpc.js';
import { isRecord, type JsonObject } from '../json.js';
import type { LatestRequest, MoreMethods } from '../latest/index.js';
import { EventCalls, type EventsRead } from './event-calls.js';
import { askedEvents, countIn, eventTypes, placeIn, type AskedEvents } from './event-types.js';

/** Events of one answer: each is a kilobyte or two. */
const eventsMax = 50;
const nextPollMs = 5_000;
/** Seconds that a part of a stream waits for an event; the next one says at least that it is alive. */
const partWait = 8;

/** The Events extension of MCP (SEP-3415): the feed of `GET /v1/events`, as a key may see it. */
export function eventsOf(client: OperationClient): MoreMethods {
  const calls = new EventCalls(client);
  const methods = {
    'events/list': ({ params }: LatestRequest) => Promise.resolve(listed(params)),
    'events/poll': (request: LatestRequest) => poll(calls, request),
    'events/stream': (request: LatestRequest) => stream(calls, request),
    'events/subscribe': (request: LatestRequest) => subscribe(calls, request),
    'events/unsubscribe': (request: LatestRequest) => unsubscribe(calls, request),
  };
  return {
    methods: new Map(Object.entries(methods)),
    // Clients of the draft look for it there.
    capabilities: { events: {} },
    extensions: { 'io.modelcontextprotocol/events': {} },
  };
}

function listed({ cursor }: JsonObject): object {
  if (cursor != null) throw invalidParams('There is one page of events: no cursor was given out.');
  return { events: eventTypes };
}

async function poll(calls: EventCalls, { context, params }: LatestRequest): Promise<object> {
  const asked = askedEvents(context, params);
  const limit = Math.max(1, Math.min(countIn(params, 'maxEvents') ?? eventsMax, eventsMax));
  const read = await calls.read(context, asked, {
    ...{ place: placeIn(asked, params['cursor']), limit, wait: 0 },
    maxAgeMs: countIn(params, 'maxAgeMs'),
  });
  return {
    events: read.events.map((event) => occurrenceOf(event)),
    cursor: eventCursor(asked.caller.keyId, read.next),
    truncated: read.isGap,
    hasMore: read.hasMore,
    nextPollMs,
  };
}

/** A part of a stream; the gateway asks for the next one with the cursor at its end. */
async function stream(calls: EventCalls, request: LatestRequest): Promise<FileAnswer> {
  const { id, message } = request;
  try {
    return await partOf(calls, request);
  } catch (error) {
    if (message.lastEventId === undefined || !isEnd(error)) throw error;
    return framed([frame(id, 'terminated', { error: accessEnded }), closing(id)], null);
  }
}

async function partOf(calls: EventCalls, request: LatestRequest): Promise<FileAnswer> {
  const { context, params, message, id } = request;
  const { lastEventId } = message;
  const isFirst = lastEventId === undefined;
  const asked = askedEvents(context, params);
  const place = placeIn(asked, isFirst ? params['cursor'] : lastEventId);
  const read = await calls.read(context, asked, {
    ...{ place, limit: eventsMax, wait: isFirst ? 0 : partWait },
    maxAgeMs: isFirst ? countIn(params, 'maxAgeMs') : undefined,
  });
  const cursorOf = (at: FeedPlace) => eventCursor(asked.caller.keyId, at);
  const next = cursorOf(read.next);
  const begin = { cursor: cursorOf(beginOf(place, read)), truncated: read.isGap };
  const confirmed = isFirst || read.isGap ? [frame(id, 'active', begin)] : [];
  const events = read.events.map((event) =>
    frame(id, 'event', occurrenceOf(event, cursorOf({ event: event.id, atMs: 0 }))),
  );
  const alive = isFirst || events.length > 0 ? [] : [frame(id, 'heartbeat', { cursor: next })];
  return framed([...confirmed, ...events, ...alive], next);
}

/** The beginning of the events of a read: after a gap, and where there was no place, at the oldest that is kept. */
function beginOf(place: FeedPlace | null, { isGap, events, next }: EventsRead): FeedPlace {
  if (place && !isGap) return place;
  return events.length > 0 ? { ...next, event: null } : next;
}

/** True where the key has ended, or may not see the events any more. */
const isEnd = (error: unknown): boolean =>
  error instanceof Problem
    ? error.code === 'UNAUTHENTICATED'
    : error instanceof RpcError && error.code === rpcCodes.forbidden;

const subscriptionOf = (id: RequestId) => ({ 'io.modelcontextprotocol/subscriptionId': id });

const frame = (id: RequestId, name: string, fields: object): object => ({
  jsonrpc: '2.0',
  method: `notifications/events/${name}`,
  params: { ...fields, _meta: subscriptionOf(id) },
});

const closing = (id: RequestId): object => ({
  ...{ jsonrpc: '2.0', id },
  result: { resultType: 'complete', _meta: subscriptionOf(id) },
});

/** @param next null where the stream ends */
function framed(frames: readonly object[], next: string | null): FileAnswer {
  const text = frames.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
  const more = next === null ? {} : { [continuationHeader]: next };
  return new FileAnswer(Buffer.from(text), { 'content-type': 'text/event-stream', ...more });
}

/** @throws RpcError Unsupported, InvalidParams */
function deliveryIn({ delivery }: JsonObject, isWhole: boolean): { url: string; secret?: string } {
  if (!isRecord(delivery)) throw invalidParams('`delivery` must be an object.');
  const { mode = 'webhook', url, secret } = delivery;
  if (mode !== 'webhook')
    throw new RpcError(rpcCodes.unsupported, 'Only webhooks are subscribed to.', {
      ...{ feature: 'deliveryMode', value: mode },
    });
  if (typeof url !== 'string') throw invalidParams('`delivery.url` must be a URL.');
  if (!isWhole) return { url };
  if (typeof secret !== 'string') throw invalidParams('`delivery.secret` is required.');
  return { url, secret };
}

const filterOf = ({ type, mailbox }: AskedEvents) => ({
  type,
  ...(mailbox !== null && { mailbox }),
});

async function subscribe(calls: EventCalls, { context, params }: LatestRequest): Promise<object> {
  const asked = askedEvents(context, params);
  const place = placeIn(asked, params['cursor']);
  const after = place === null ? 'latest' : place.event;
  const [maxAgeMs, ttlMs] = ['maxAgeMs', 'ttlMs'].map((name) => countIn(params, name));
  return calls.call(context, eventSubscriptions.subscribe, {
    ...{ ...deliveryIn(params, true), ...filterOf(asked) },
    ...(after !== null && { after }),
    ...(maxAgeMs !== undefined && { maxAgeMs }),
    ...(ttlMs !== undefined && { ttlMs }),
  });
}

async function unsubscribe(calls: EventCalls, { context, params }: LatestRequest): Promise<object> {
  const asked = askedEvents(context, params);
  const input = { ...deliveryIn(params, false), ...filterOf(asked) };
  await calls.call(context, eventSubscriptions.unsubscribe, input);
  return {};
}
