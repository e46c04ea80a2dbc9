import type { Type } from '@nestjs/common';
import {
  builtIns,
  isSandbox,
  Problem,
  quotaNames,
  type AuditBacklog,
  type ContainerRef,
  type GaugeKind,
  type ServiceName,
  type VolumeCount,
} from '@postroom/contracts';
import { statement, type Database, type Statement } from '@postroom/persistence';
import { moveClock } from './clocks.js';
import type { Reading } from './context.js';
import { handlers } from './handlers.js';
import { usedOf, type QuotaLimits } from './quotas.js';

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

/** Selects the containers that the caller may see; containers of other services are left out. */
export type VisibleContainers = (
  context: Reading,
  containers: readonly ContainerRef[],
) => Promise<ContainerRef[]>;

/** The parts of the built-in operations that an app declares. */
export interface BuiltInOptions {
  /** Numbers of its share of the analytics, beside the volumes. */
  readonly gauges?: readonly Gauge[];
  /** Quotas of the service; its schema then has a function `quota_used`. */
  readonly quotas?: QuotaLimits;
  /** True if some of these events are not recorded yet, in the service that records them. */
  readonly lacksEvents?: (context: Reading, ids: readonly string[]) => Promise<boolean>;
  /** Selects the mailboxes, books or calendars that a member may see; none by default. */
  readonly visible?: VisibleContainers;
}

/** Handlers of the operations that every service has: see `builtIns` in the contracts. */
export const builtInHandlers = (
  service: ServiceName,
  database: Database,
  { gauges = [], quotas = {}, visible = () => Promise.resolve([]), ...options }: BuiltInOptions,
): Type<object> =>
  handlers(builtIns[service], {
    clock: async (context, { events, ...to }) => {
      const { tenantId } = context;
      if (!isSandbox(tenantId)) throw new Problem('ROUTE_NOT_FOUND');
      const state = await moveClock(database, tenantId, to);
      const lacks = events.length > 0 && (await options.lacksEvents?.(context, events));
      return { ...state, isBusy: state.isBusy || lacks === true };
    },

    quotas: async (context) => ({
      quotas: await Promise.all(
        quotaNames.flatMap((name) => {
          const limit = quotas[name];
          if (limit === undefined) return [];
          return usedOf(context, name).then((used) => ({ name, limit, used }));
        }),
      ),
    }),
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
