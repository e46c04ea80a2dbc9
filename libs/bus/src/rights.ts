import {
  eventConsumers,
  eventGroup,
  internalEventProducers,
  recordOf,
  serviceNames,
  services,
  table,
  type AppName,
  type EventConsumer,
  type OutgoingGroup,
  type ServiceName,
} from '@postroom/contracts';
import { deadLetterTopic, outgoingTopic, replyTopic, requestTopic } from './topics.js';

/** An action on a topic or a group, in Kafka's words. */
export type BusAction = 'read' | 'write' | 'create' | 'delete' | 'describe' | 'describe-configs';

/** One right of an app on the brokers: an ACL is made of it for each action. */
export interface BusRight {
  readonly resource: 'topic' | 'group' | 'cluster';
  readonly name: string;
  /** True if it covers every name that begins so. */
  readonly isPrefix: boolean;
  readonly actions: readonly BusAction[];
}

/** A program that uses the brokers: a service, or `postroom`, which prepares them and runs commands. */
export type BusApp = AppName | 'postroom';

export const busApps: readonly BusApp[] = [
  ...serviceNames.map((name) => services[name].app),
  'postroom',
];

/** The least that an app needs on the brokers. */
export function busRights(app: BusApp, prefix = 'postroom'): readonly BusRight[] {
  const service = serviceNames.find((name) => services[name].app === app);
  if (!service) return rightsOfOperator(prefix);
  return [
    ...rightsToServe(service, prefix),
    ...rightsToAsk(service, prefix),
    ...rightsToPublish(service, prefix),
    ...rightsToConsume(service, prefix),
  ];
}

const topic = (name: string, ...actions: BusAction[]): BusRight => ({
  resource: 'topic',
  name,
  isPrefix: false,
  actions,
});
const group = (name: string, ...actions: BusAction[]): BusRight => ({
  ...topic(name, ...actions),
  resource: 'group',
});
const below = (right: BusRight): BusRight => ({ ...right, isPrefix: true });

/** Makes the topics and sees how they are kept, replays dead letters, and sees who may do what. */
const rightsOfOperator = (prefix: string): BusRight[] => [
  below(topic(`${prefix}.`, 'create', 'read', 'write', 'describe', 'describe-configs')),
  below(group(`${prefix}.`, 'read', 'delete')),
  { resource: 'cluster', name: 'kafka-cluster', isPrefix: false, actions: ['describe'] },
];

/** Dead letters are written, and counted: from where the operator's replay has got to. */
const rightsToPark = (consumer: string, prefix: string): BusRight[] => [
  topic(deadLetterTopic(consumer, prefix), 'write'),
  group(`${deadLetterTopic(consumer, prefix)}.replay`, 'describe'),
];

/** Any instance may have asked, so the answers may go to any reply topic. */
const rightsToServe = (service: ServiceName, prefix: string): BusRight[] => [
  topic(requestTopic(service, prefix), 'read'),
  group(requestTopic(service, prefix), 'read'),
  ...rightsToPark(service, prefix),
  below(topic(replyTopic('', prefix), 'write')),
];

/** Instances are named after their app, so that no other app may read or remove their replies. */
function rightsToAsk(service: ServiceName, prefix: string): BusRight[] {
  const asked = askedBy(service);
  if (asked.length === 0) return [];
  const replies = replyTopic(`${services[service].app}-`, prefix);
  return [
    ...asked.map((name) => topic(requestTopic(name, prefix), 'write')),
    below(topic(replies, 'create', 'read', 'delete')),
    below(group(replies, 'read', 'delete')),
  ];
}

/** The services whose operations a service calls. */
const askedBy = (service: ServiceName): ServiceName[] => [
  ...new Set(
    table.filter(({ calledBy }) => calledBy === service).map(({ service: asked }) => asked),
  ),
];

const rightsToPublish = (service: ServiceName, prefix: string): BusRight[] =>
  publishedGroups[service].map((name) => topic(outgoingTopic(name, prefix), 'write'));

/** The groups of events that the operations of a service emit, and its internal ones. */
function publishedBy(service: ServiceName): OutgoingGroup[] {
  const emitted = table
    .filter((operation) => operation.service === service)
    .flatMap(({ emits }) => emits.flatMap((type) => eventGroup(type) ?? []));
  const internal = Object.entries(internalEventProducers) as [OutgoingGroup, readonly string[]][];
  return [
    ...new Set([
      ...emitted,
      ...internal.flatMap(([name, producers]) => (producers.includes(service) ? name : [])),
    ]),
  ];
}

const publishedGroups = recordOf(serviceNames, publishedBy);

/** True if a service publishes events of a group: consumers take them from no other. */
export const publishes = (service: ServiceName, group: OutgoingGroup): boolean =>
  publishedGroups[service].includes(group);

const rightsToConsume = (service: ServiceName, prefix: string): BusRight[] =>
  Object.entries<EventConsumer>(eventConsumers)
    .filter(([, consumer]) => consumer.service === service)
    .flatMap(([name, { groups }]) => [
      ...groups.map((read) => topic(outgoingTopic(read, prefix), 'read')),
      group(`${prefix}.${name}.events`, 'read'),
      ...rightsToPark(name, prefix),
    ]);
