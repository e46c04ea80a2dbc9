import { events, feed, isProblemCode, Problem, type EventPage } from '@postroom/contracts';
import { handlers, OperationClient } from '@postroom/operations';
import { CoveredEvents } from './covered-events.js';

/** What a refusal of the dispatcher says beside its code. */
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

const refusalOf = (code: string, { violations = [], fields = {} }: Refusal): Problem =>
  isProblemCode(code) && (code === 'EVENTS_AGED_OUT' || code === 'INVALID_REQUEST')
    ? new Problem(code, { violations, fields })
    : new Problem('SERVICE_UNAVAILABLE');
