import type { Type } from '@nestjs/common';
import { builtIns, type AuditBacklog, type ServiceName } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import { handlers } from './handlers.js';

const ping = statement<object>('operations.ping', 'SELECT $1::text');

const countBacklog = statement<AuditBacklog>(
  'operations.count_audit_backlog',
  'SELECT count_audit_backlog($1) AS waiting',
);

/** What the engine of every service answers: see `builtIns` in the contracts. */
export const builtInHandlers = (service: ServiceName): Type<object> =>
  handlers(builtIns[service], {
    health: async ({ rows }) => {
      await rows(ping, []);
      return { database: true };
    },
    auditBacklog: async ({ rows }) => {
      const [backlog] = await rows(countBacklog, []);
      return backlog ?? { waiting: 0 };
    },
  });
