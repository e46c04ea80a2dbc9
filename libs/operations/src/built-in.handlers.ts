import type { Type } from '@nestjs/common';
import {
  builtIns,
  type AuditBacklog,
  type ContainerRef,
  type GaugeKind,
  type ServiceName,
  type VolumeCount,
} from '@postroom/contracts';
import { statement, type Statement } from '@postroom/persistence';
import type { Reading } from './context.js';
import { handlers } from './handlers.js';

const ping = statement<object>('operations.ping', 'SELECT $1::text');

const countBacklog = statement<AuditBacklog>(
  'operations.count_audit_backlog',
  'SELECT count_audit_backlog($1) AS waiting',
);

// Floats, which come as numbers: those of integers are exact far beyond any volume.
const countVolumes = statement<VolumeCount>(
  'operations.count_volumes',
  `SELECT kind, to_char(day, 'YYYY-MM-DD') AS day, scope, amount::float8 AS amount
   FROM volumes_of($1, $2, $3, $4)`,
);

/** A number that a service counts when it is asked; its statement takes the tenant alone. */
export interface Gauge {
  readonly kind: GaugeKind;
  readonly statement: Statement<{ readonly amount: number }>;
}

/** Which of some containers the calling member may see; those of other services are not among them. */
export type VisibleContainers = (
  context: Reading,
  containers: readonly ContainerRef[],
) => Promise<ContainerRef[]>;

/** What the engine of every service answers: see `builtIns` in the contracts. */
export const builtInHandlers = (
  service: ServiceName,
  gauges: readonly Gauge[],
  visible: VisibleContainers = () => Promise.resolve([]),
): Type<object> =>
  handlers(builtIns[service], {
    visible: async (context, { containers }) => ({
      containers: await visible(context, containers),
    }),
    health: async ({ rows }) => {
      await rows(ping, []);
      return { database: true };
    },
    auditBacklog: async ({ rows }) => {
      const [backlog] = await rows(countBacklog, []);
      return backlog ?? { waiting: 0 };
    },
    volumes: async ({ rows }, { from, to, timeZone }) => {
      const [counts, ...gauged] = await Promise.all([
        rows(countVolumes, [from, to, timeZone]),
        ...gauges.map(async ({ kind, statement: counting }) => {
          const [counted] = await rows(counting, []);
          return { kind, day: null, scope: null, amount: counted?.amount ?? 0 };
        }),
      ]);
      return { counts: [...counts, ...gauged] };
    },
  });
