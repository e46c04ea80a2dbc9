import {
  eventConsumers,
  eventGroups,
  internalEventGroups,
  serviceNames,
  type EventGroup,
  type InternalEventGroup,
  type OutgoingGroup,
  type ServiceName,
} from '@postroom/contracts';

export type TopicKind = 'requests' | 'events' | 'notices' | 'dead-letters';

/** A topic of the bus that exists before any service starts. */
export interface DeclaredTopic {
  readonly name: string;
  readonly kind: TopicKind;
  readonly partitions: number;
  readonly retentionMs: number;
}

export interface TopicChoices {
  /** First part of every name; installations that share a broker differ in it. */
  readonly prefix?: string;
  /** Consumers beside the product's own, each with a dead-letter topic of its own. */
  readonly consumers?: readonly string[];
}

const hourMs = 3_600_000;

/**
 * The settings of a topic by its kind, unless configured otherwise. Requests are worthless after their deadline
 * of seconds; events are kept for as long as a consumer may be away; dead letters until someone has
 * looked at them. Dead letters keep one partition: they are listed in the order they came.
 */
const defaults = {
  requests: { partitions: 6, retentionMs: hourMs },
  events: { partitions: 6, retentionMs: 7 * 24 * hourMs },
  notices: { partitions: 6, retentionMs: 7 * 24 * hourMs },
  'dead-letters': { partitions: 1, retentionMs: 30 * 24 * hourMs },
} as const satisfies Record<TopicKind, Omit<DeclaredTopic, 'name' | 'kind'>>;

/** The topic of a service's requests. */
export const requestTopic = (service: ServiceName, prefix = 'postroom'): string =>
  `${prefix}.${service}.requests`;

/** The topic of the replies to one caller instance; made and removed by that instance. */
export const replyTopic = (instance: string, prefix = 'postroom'): string =>
  `${prefix}.replies.${instance}`;

/** The topic of a group's events. */
export const eventTopic = (group: EventGroup, prefix = 'postroom'): string =>
  `${prefix}.events.${group}`;

/** The topic of a group's internal events. */
export const internalEventTopic = (group: InternalEventGroup, prefix = 'postroom'): string =>
  `${prefix}.notices.${group}`;

const isInternalEventGroup = (group: OutgoingGroup): group is InternalEventGroup =>
  Object.hasOwn(internalEventGroups, group);

/** The topic of a group's events, public or internal. */
export const outgoingTopic = (group: OutgoingGroup, prefix = 'postroom'): string =>
  isInternalEventGroup(group) ? internalEventTopic(group, prefix) : eventTopic(group, prefix);

/** The topic in which a consumer, or a service for its requests, parks messages that it cannot handle. */
export const deadLetterTopic = (consumer: string, prefix = 'postroom'): string =>
  `${prefix}.dead.${consumer}`;

/** Every topic of the product; one that is not among them is neither written nor read. */
export function declaredTopics({
  prefix,
  consumers = [],
}: TopicChoices = {}): readonly DeclaredTopic[] {
  const declare = (kind: TopicKind, names: readonly string[]): DeclaredTopic[] =>
    names.map((name) => ({ name, kind, ...defaults[kind] }));
  const groups = Object.keys(eventGroups) as EventGroup[];
  const internalGroups = Object.keys(internalEventGroups) as InternalEventGroup[];
  // One consumer has the name of its service.
  const parking = new Set([...serviceNames, ...Object.keys(eventConsumers), ...consumers]);
  return [
    ...declare(
      'requests',
      serviceNames.map((service) => requestTopic(service, prefix)),
    ),
    ...declare(
      'events',
      groups.map((group) => eventTopic(group, prefix)),
    ),
    ...declare(
      'notices',
      internalGroups.map((group) => internalEventTopic(group, prefix)),
    ),
    ...declare(
      'dead-letters',
      [...parking].map((name) => deadLetterTopic(name, prefix)),
    ),
  ];
}
