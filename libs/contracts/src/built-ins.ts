import { Count, Day, Flag, ListOf, OneOf, Text } from './fields/index.js';
import { recordOf, type ServiceName, serviceNames } from './services.js';
import { ServiceVolumes } from './analytics.js';
import { Nothing } from './inputs.js';
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

const builtInsOf = (service: ServiceName) =>
  family(
    service,
    service,
    {
      health: operation({
        http: `GET /services/${service}/health`,
        summary: 'Say whether the service answers',
        input: Nothing,
        output: ServiceHealth,
      }),
      auditBacklog: operation({
        http: `GET /services/${service}/audit-backlog`,
        summary: 'Count the audit records of a workspace that are not handed over yet',
        input: Nothing,
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
        input: Nothing,
        output: ServiceQuotas,
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
