import { Injectable } from '@nestjs/common';
import { coversEvents, type Caller, type KeyCaller, type MemberCaller } from '@postroom/access';
import {
  events,
  feed,
  isProblemCode,
  Problem,
  shownEvents,
  type ContainerType,
  type EventPage,
  type FeedEvent,
  type JudgeEvent,
} from '@postroom/contracts';
import { handlers, OperationClient, type Reading } from '@postroom/operations';
import { KeyAuthentication } from './authentication/key-authentication.js';
import { Visibility } from './visibility.js';

/** The type of the container of an event's resource, and its name in the event's data. */
const keptIn: Readonly<Record<string, { type: ContainerType; field: string }>> = {
  contact: { type: 'book', field: 'bookId' },
  calendar_event: { type: 'calendar', field: 'calendarId' },
};

/** The parts of an event that say where its resource is kept. */
type PlacedEvent = Pick<FeedEvent, 'resource' | 'data'>;

/** Leaves out events of books and calendars that a key could not read now, or when they were deleted. */
@Injectable()
export class CoveredEvents {
  constructor(private readonly visibility: Visibility) {}

  async of<E extends PlacedEvent>(context: Reading, events: readonly E[]): Promise<E[]> {
    const places = events.map((event) => ({ event, ...containerOf(event) }));
    const free = places.filter(({ withinType }) => withinType === null);
    const held = places.filter(({ withinId }) => withinId !== null);
    const asking = asMember(context.caller);
    const seen = new Set(free);
    if (held.length > 0 && asking) {
      // The owning services say what an administrator may see: every book, and no calendar of others.
      const visible = await this.visibility.shownByOwners({ ...context, caller: asking }, held);
      for (const place of visible) seen.add(place);
    }
    return places.filter((place) => seen.has(place)).map(({ event }) => event);
  }
}

/** A type without an id: the event does not say where its resource is kept, and is not shown. */
function containerOf({ resource, data }: PlacedEvent) {
  const kept = keptIn[resource.type];
  if (!kept) return { withinType: null, withinId: null };
  const id = data[kept.field];
  return { withinType: kept.type, withinId: typeof id === 'string' ? id : null };
}

/** The member whose rights a key has; its own admin flag counts, not the member's role. */
function asMember(caller: Caller): MemberCaller | null {
  if (caller.type === 'member') return caller;
  const { member, admin, tenantId, source }: KeyCaller = caller;
  if (!member) return null;
  return {
    type: 'member',
    tenantId,
    source,
    memberId: member.id,
    email: member.email,
    name: caller.name,
    role: admin ? 'admin' : 'member',
    canApprove: false,
    sessionId: null,
  };
}

/** A refusal of the dispatcher, beside its code. */
interface Refusal {
  readonly violations?: Problem['violations'];
  readonly fields?: Problem['fields'];
}

/** The event feed: the dispatcher's, less what the key's member may not see. */
export const EventsHandlers = handlers(
  events,
  [OperationClient, CoveredEvents],
  (operations, covered) => ({
    list: async (context, input) => {
      const { caller, requestId, deadlineMs } = context;
      const timeoutMs = Math.min(feed.read.deadlineMs, deadlineMs - Date.now() - 1_000);
      const reply = await operations.call(feed.read, caller, input, { requestId, timeoutMs });
      const body = JSON.parse(reply.body.toString()) as unknown;
      if (reply.problem !== null) throw refusalOf(reply.problem, body as Refusal);
      const page = body as EventPage;
      return { ...page, events: await covered.of(context, page.events) };
    },
  }),
);

/** Judges an event as the feed would show it to a key now. */
export const ShownEventsHandlers = handlers(
  shownEvents,
  [KeyAuthentication, CoveredEvents],
  (keys, covered) => ({
    judge: async (context, event) => {
      const { caller: asking, tenantId } = context;
      const found = asking.type === 'key' ? await keys.current(asking.keyId) : null;
      if (found?.caller.tenantId !== tenantId) return { verdict: 'ended' };
      const { caller } = found;
      if (!coversEvents(caller, event.type) || !isGranted(caller, event))
        return { verdict: 'hidden' };
      const seen = await covered.of({ ...context, caller }, [event]);
      return { verdict: seen.length > 0 ? 'shown' : 'hidden' };
    },
  }),
);

const isGranted = ({ grants }: KeyCaller, { mailbox }: Pick<JudgeEvent, 'mailbox'>): boolean =>
  mailbox === null || Object.hasOwn(grants, mailbox.toLowerCase());

const refusalOf = (code: string, { violations = [], fields = {} }: Refusal): Problem =>
  isProblemCode(code) && (code === 'EVENTS_AGED_OUT' || code === 'INVALID_REQUEST')
    ? new Problem(code, { violations, fields })
    : new Problem('SERVICE_UNAVAILABLE');
