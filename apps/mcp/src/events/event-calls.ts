import {
  events,
  isProblemCode,
  mailboxOf,
  Problem,
  timeOfId,
  type EventPage,
  type FeedEvent,
  type FeedPlace,
  type InvocationAnswer,
  type InvocationProblem,
  type Operation,
  rpcCodes,
} from '@postroom/contracts';
import type { OperationClient, Reading } from '@postroom/operations';
import { invoked } from '../calls/index.js';
import { invalidParams, RpcError } from '../json-rpc.js';
import type { AskedEvents } from './event-types.js';

/** As long as the shortest time for which events may be kept: a place without an event may have lost some since. */
const keptMs = 24 * 3_600_000;

/** Events of the feed after a place. */
export interface EventsRead {
  readonly events: readonly FeedEvent[];
  readonly next: FeedPlace;
  /** Some after the place are not kept any more, or too old for who asks. */
  readonly isGap: boolean;
  readonly hasMore: boolean;
}

interface ReadOptions {
  /** Null: from the present end on. */
  readonly place: FeedPlace | null;
  readonly limit: number;
  /** Seconds. */
  readonly wait: number;
  readonly maxAgeMs?: number | undefined;
}

type Body = Readonly<Record<string, unknown>>;

/** The feed and the subscriptions of a key: the gateway makes the calls, with the rights that the key has then. */
export class EventCalls {
  constructor(private readonly client: OperationClient) {}

  /** @throws RpcError, Problem */
  async read(context: Reading, asked: AskedEvents, options: ReadOptions): Promise<EventsRead> {
    const { place, limit, wait } = options;
    const after = place === null ? 'latest' : place.event;
    const input = { types: asked.type, limit, wait };
    const from = after === null ? input : { ...input, after };
    const first = await this.invoke(context, events.list, from);
    const isLost = first.problem?.code === 'EVENTS_AGED_OUT';
    const found = isLost ? await this.invoke(context, events.list, input) : first;
    if (found.problem) throw rpcErrorOf(found.problem);
    const page = found.body as unknown as EventPage;
    const sinceMs = sinceOf(options);
    const isShown = (event: FeedEvent): boolean =>
      isIn(event, asked) && Date.parse(event.occurredAt) >= sinceMs;
    return {
      events: page.events.filter(isShown),
      next: { event: page.nextAfter, atMs: Date.now() },
      isGap: isLost || isTooOld(place, sinceMs),
      hasMore: page.truncated,
    };
  }

  /** Calls an operation of the key. @throws RpcError, Problem */
  async call(context: Reading, operation: Operation, input: Body): Promise<Body> {
    const { problem, body } = await this.invoke(context, operation, input);
    if (problem) throw rpcErrorOf(problem);
    return body ?? {};
  }

  private invoke(
    context: Reading,
    { id: operation }: Operation,
    input: Body,
  ): Promise<InvocationAnswer> {
    return invoked(this.client, context, { operation, input });
  }
}

const sinceOf = ({ maxAgeMs }: ReadOptions): number =>
  maxAgeMs === undefined ? 0 : Date.now() - maxAgeMs;

/** True of a place from which on events are passed over, or may have been lost since. */
function isTooOld(place: FeedPlace | null, sinceMs: number): boolean {
  if (!place) return false;
  const { event, atMs } = place;
  return event === null ? atMs < Math.max(sinceMs, Date.now() - keptMs) : timeOfId(event) < sinceMs;
}

const isIn = (event: FeedEvent, { mailbox }: AskedEvents): boolean =>
  mailbox === null || mailboxOf(event)?.toLowerCase() === mailbox;

/** The limits of SEP-3415's `ResourceExhausted`, by the problem that says that one was reached. */
const exhausted: Readonly<Record<string, string>> = {
  TOO_MANY_EVENT_SUBSCRIPTIONS: 'subscriptions',
  TOO_MANY_SECRETS: 'secrets',
  RATE_LIMITED: 'requests',
};

/** @throws Problem that HTTP answers */
function rpcErrorOf({ code, violations, fields }: InvocationProblem): RpcError {
  const limit = exhausted[code];
  if (limit !== undefined)
    return new RpcError(rpcCodes.resourceExhausted, 'A limit of the server is reached.', {
      limit,
      ...fields,
    });
  if (code === 'INVALID_REQUEST') {
    const details = violations.map(({ field, message }) => ({
      ...{ field, code: 'MALFORMED' as const, message: message.en },
    }));
    return invalidParams(details[0]?.message ?? 'The parameters are not valid.', details);
  }
  if (code === 'CALLBACK_FAILED')
    return new RpcError(rpcCodes.callbackFailed, 'The URL did not pass the verification.', fields);
  if (code === 'WEBHOOK_NOT_FOUND')
    return new RpcError(rpcCodes.notFound, 'There is no such subscription.', {
      kind: 'subscription',
    });
  throw new Problem(isProblemCode(code) ? code : 'INTERNAL');
}
