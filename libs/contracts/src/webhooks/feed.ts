import { Count, Flag, Id, ListOf, Text, type Violation } from '../fields/index.js';
import { commentAlias, eventGroup, type EventType } from '../events.js';
import { family, operation } from '../operation.js';
import { FeedEvent } from '../event-payloads/schema.js';

const eventsMax = 500;
/** Longest that a page waits for its first event, seconds. */
const waitMax = 30;

/** Input of the feed. */
export class ListEvents {
  @Text(
    'The last event seen, or `latest` for the present end; absent: from the oldest that is kept.',
    { max: 200, optional: true },
  )
  after?: string;

  @Count('Events on a page.', { min: 1, max: eventsMax, default: 100 })
  limit!: number;

  @Text('Event types, separated by commas; absent: all.', { max: 1000, optional: true })
  types?: string;

  @Count('Seconds to wait for the first event, where there is none.', { max: waitMax, default: 0 })
  wait!: number;
}

/** The same, as the gateway asks the dispatcher for it. */
export class ReadFeed extends ListEvents {}

/** A page of the feed. */
export class EventPage {
  @ListOf(() => FeedEvent, 'Events, first recorded first.', { max: eventsMax })
  events!: FeedEvent[];

  @Id('evn', 'Give it as `after` for the next page; null where nothing was recorded yet.', {
    nullable: true,
  })
  nextAfter!: string | null;

  @Flag('Whether there is more already.')
  truncated!: boolean;
}

/** The types that are asked for; undefined for all of them. */
export const typesAsked = ({
  types,
}: Pick<ListEvents, 'types'>): readonly EventType[] | undefined =>
  types?.split(',').map((name) => {
    const type = name.trim();
    return (type === commentAlias ? 'conversation.commented' : type) as EventType;
  });

const unknownTypes = (input: Pick<ListEvents, 'types'>): readonly Violation[] =>
  (typesAsked(input) ?? []).every((type) => eventGroup(type))
    ? []
    : [
        {
          field: 'types',
          fault: 'UNKNOWN_VALUE',
          message: { fr: 'type d’événement inconnu', en: 'there is no such event type' },
        },
      ];

const description = `The same events that webhooks deliver, for 7 days, in the order in which they were recorded:
those of one resource by \`sequence\`. A page never later gains an earlier event, so a consumer that
keeps \`nextAfter\` has missed nothing. Each event is shown only to a key whose scopes, member, mailbox
grants, and books and calendars cover what it happened to; \`nextAfter\` passes over the others. An
\`after\` that is older than what is kept is 410, with the \`oldest\` event.`;

/** The event feed (`decisions.md` §8). */
export const events = family('access', 'events', {
  list: operation({
    http: 'GET /v1/events',
    scope: 'any',
    summary: 'Read the events of the workspace, first recorded first',
    description,
    input: ListEvents,
    output: EventPage,
    rule: (input: ListEvents) => unknownTypes(input),
    problems: ['EVENTS_AGED_OUT'],
    deadlineMs: 40_000,
    addition: true,
    keysOnly: true,
  }),
});

/** The feed as the dispatcher keeps it, by scopes, member and grants alone. */
export const feed = family(
  'webhooks',
  'feed',
  {
    read: operation({
      http: 'GET /services/webhooks/feed',
      effect: 'read',
      summary: 'Read the events that the scopes, member and grants of a key cover',
      input: ReadFeed,
      output: EventPage,
      problems: ['EVENTS_AGED_OUT'],
      deadlineMs: 38_000,
    }),
  },
  { audience: 'service' },
);
