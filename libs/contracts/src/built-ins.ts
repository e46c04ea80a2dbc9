import { ServiceVolumes } from './analytics/index.js';
import { ContainerList } from './containers.js';
import { Count, Day, Flag, Text } from './fields/index.js';
import { Nothing } from './inputs.js';
import { family, operation } from './operation.js';
import { recordOf, serviceNames, type ServiceName } from './services.js';
import { ServiceQuotas } from './settings/index.js';

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
        effect: 'read',
        summary: 'Say whether the service answers',
        input: Nothing,
        output: ServiceHealth,
      }),
      auditBacklog: operation({
        http: `GET /services/${service}/audit-backlog`,
        effect: 'read',
        summary: 'Count the audit records of a workspace that are not handed over yet',
        input: Nothing,
        output: AuditBacklog,
      }),
      volumes: operation({
        http: `GET /services/${service}/volumes`,
        effect: 'read',
        summary: 'Count what happened in a period',
        input: CountVolumes,
        output: ServiceVolumes,
      }),
      quotas: operation({
        http: `GET /services/${service}/quotas`,
        effect: 'read',
        summary: 'Say how much of its quotas a workspace has used',
        input: Nothing,
        output: ServiceQuotas,
      }),
      visible: operation({
        http: `GET /services/${service}/visible`,
        effect: 'read',
        summary: 'Say which mailboxes, books and calendars the member may see',
        input: ContainerList,
        output: ContainerList,
      }),
    },
    { audience: 'service' },
  );

/** Operations that the engine serves for every service: the gateway asks them over the bus. */
export const builtIns = recordOf(serviceNames, builtInsOf);
