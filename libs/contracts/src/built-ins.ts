import { Count, Day, Flag, Ids, Instant, ListOf, Millis, OneOf, Text } from './fields/index.js';
import { recordOf, type ServiceName, serviceNames } from './services.js';
import { ServiceVolumes } from './analytics.js';
import { family, operation } from './operation.js';
import { ServiceQuotas } from './settings/quotas.js';

/** Containers of resources, which decide who sees them, and the services that own them. */
export const containerOwners = {
  mailbox: 'mail',
  conversation: 'mail',
  book: 'directory',
  calendar: 'scheduling',
} as const satisfies Record<string, ServiceName>;

export type ContainerType = keyof typeof containerOwners;

const containerTypes = Object.keys(containerOwners) as [ContainerType, ...ContainerType[]];

/** A mailbox by its address, a conversation, address book or calendar by its id. */
export class ContainerRef {
  @OneOf(containerTypes, 'What it is.')
  type!: ContainerType;

  @Text('A mailbox’s address, the id of the others.', { max: 320 })
  id!: string;
}

/** Containers of a workspace. */
export class ContainerList {
  @ListOf(() => ContainerRef, 'Each of them once.', { max: 500 })
  containers!: ContainerRef[];
}

/** Answer of the health operation. */
export class ServiceHealth {
  @Flag('Whether its database answers; true of a service without one.')
  database!: boolean;
}

/** Audit records of a workspace that a service has not handed to the gateway yet. */
export class AuditBacklog {
  @Count('How many.', { max: Number.MAX_SAFE_INTEGER })
  waiting!: number;
}

/** A period, as a service is asked for its share of the volumes. */
export class CountVolumes {
  @Day('First day.')
  from!: string;

  @Day('Last day, included.')
  to!: string;

  @Text('Time zone of the days (IANA).', { max: 60 })
  timeZone!: string;
}

/** The most that the clock of a sandbox can be ahead in all: a hundred years. */
export const aheadMsMax = 100 * 366 * 86_400_000;

/** Events whose delivery is looked for at once. */
const eventsMax = 4_000;

/** The time that the clock of a sandbox is to be ahead, and the events that are looked for. */
export class MoveClock {
  @Count('Milliseconds ahead of the real time; less than it is already changes nothing.', {
    max: aheadMsMax,
  })
  aheadMs!: number;

  @Instant('The real time from which on published events are named.')
  since!: string;

  @Ids('evn', 'Published events that the owner of the feed is to have recorded.', {
    max: eventsMax,
  })
  events!: string[];
}

/** The clock of a sandbox in a service. */
export class ClockState {
  @Count('Milliseconds ahead of the real time.', { max: aheadMsMax })
  aheadMs!: number;

  @Millis('When something is due next, in the time of the sandbox.', { nullable: true })
  nextMs!: number | null;

  @Flag('Whether something is due or worked on, or an event waits to be published or recorded.')
  isBusy!: boolean;

  @Ids('evn', 'The newest events that were published.', { max: eventsMax })
  published!: string[];
}

const builtInsOf = (service: ServiceName) =>
  family(
    service,
    service,
    {
      health: operation({
        http: `GET /services/${service}/health`,
        summary: 'Say whether the service answers',
        output: ServiceHealth,
      }),
      auditBacklog: operation({
        http: `GET /services/${service}/audit-backlog`,
        summary: 'Count the audit records of a workspace that are not handed over yet',
        output: AuditBacklog,
      }),
      volumes: operation({
        http: `GET /services/${service}/volumes`,
        summary: 'Count what happened in a period',
        input: CountVolumes,
        output: ServiceVolumes,
      }),
      quotas: operation({
        http: `GET /services/${service}/quotas`,
        summary: 'Say how much of its quotas a workspace has used',
        output: ServiceQuotas,
      }),
      clock: operation({
        http: `POST /services/${service}/clock`,
        effect: 'intake',
        summary: 'Move the clock of a sandbox forward, and look what there is to do',
        input: MoveClock,
        output: ClockState,
        audit: null,
      }),
      visible: operation({
        http: `GET /services/${service}/visible`,
        summary: 'Say which mailboxes, conversations, books and calendars the caller may see',
        input: ContainerList,
        output: ContainerList,
      }),
    },
    { audience: 'service' },
  );

/** Operations that the engine serves for every service: the gateway asks them over the bus. */
export const builtIns = recordOf(serviceNames, builtInsOf);
