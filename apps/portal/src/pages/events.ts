import {
  eventExamples,
  eventGroups,
  type EventGroup,
  eventPayloads,
  eventSummary,
  type EventType,
  FeedEvent,
  table,
} from '@postroom/contracts';
import { objectBlock } from '../fields.js';
import { type Page, tableOf, titleOf } from '../page.js';
import { operationPath } from './reference.js';

const groups = Object.entries(eventGroups) as readonly [EventGroup, readonly EventType[]][];

/** A sentence about a type, if a service emits it. */
const summaryOf = (type: EventType): string =>
  eventPayloads[type].data === null
    ? 'It may be subscribed to; nothing emits it yet.'
    : eventSummary(type);

export const events = (): readonly Page[] => [
  {
    path: '/docs/events',
    title: 'Events',
    summary: 'What webhooks and the feed tell of, type by type.',
    section: 'event',
    blocks: [
      'Each is posted to the [webhooks](/docs/guides/verify-webhooks) that ask for it, and stands in [the feed](/docs/reference/events/list) for 7 days.',
      ...groups.map(
        ([group, types]) =>
          `## ${titleOf(group)}\n\n${tableOf(
            ['Type', 'Meaning'],
            types.map((type) => [`[${type}](/docs/events/${type})`, summaryOf(type)]),
          )}`,
      ),
    ],
  },
  ...groups.flatMap(([, types]) => types.map(eventPage)),
];

function eventPage(type: EventType): Page {
  const { data, previous } = eventPayloads[type];
  const causes = table.filter(
    ({ emits, audience }) => audience !== 'service' && emits.includes(type),
  );
  const links = causes.map((one) => `[${one.id}](${operationPath(one)})`);
  const example = eventExamples[type];
  return {
    path: `/docs/events/${type}`,
    title: type,
    summary: summaryOf(type),
    section: 'event',
    blocks: [
      summaryOf(type),
      ...(links.length > 0 ? [`Emitted by ${links.join(', ')}.`] : []),
      objectBlock('Event', FeedEvent),
      ...(data ? [objectBlock('Data', data)] : []),
      ...(previous
        ? ['## Previous\n\nOld values of those fields of the record that changed.']
        : []),
    ],
    ...(example && {
      answers: [{ label: 'Event', language: 'json', code: JSON.stringify(example, null, 2) }],
    }),
  };
}
