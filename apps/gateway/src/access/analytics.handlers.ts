import { Injectable } from '@nestjs/common';
import {
  agents,
  analytics,
  assembleVolumes,
  builtIns,
  invalidField,
  periodDaysMax,
  Problem,
  serviceNames,
  services,
  type AgentDay,
  type AnalyticsPeriod,
  type ContainerList,
  type GetAnalyticsSummary,
  type ServiceName,
  type ServiceVolumes,
  type VolumeCount,
  type Volumes,
} from '@postroom/contracts';
import { handlers, OperationClient, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/** The current day in a workspace's time zone. */
interface WorkspaceClock {
  /** IANA. */
  readonly timeZone: string;
  /** As `2026-01-31`. */
  readonly today: string;
}

const dayMs = 86_400_000;
const daysByDefault = 30;

/**
 * The period of a summary, both days included; the last 30 days by default.
 * @throws Problem INVALID_REQUEST when it ends before it begins, or has more than 366 days
 */
export function periodOf(
  { from, to }: GetAnalyticsSummary,
  { timeZone, today }: WorkspaceClock,
): AnalyticsPeriod {
  const last = to ?? today;
  const first = from ?? dayBefore(last, daysByDefault - 1);
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  const field = from === undefined ? 'to' : 'from';
  if (days < 1) {
    throw invalidField(field, 'date postérieure à la fin', 'the period ends before it begins');
  }
  if (days > periodDaysMax) {
    const fr = `période de plus de ${periodDaysMax} jours`;
    throw invalidField(field, fr, `the period has more than ${periodDaysMax} days`);
  }
  return { from: first, to: last, timeZone };
}

const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, 10);

const counting = serviceNames.filter((name) => services[name].volumes);

/** Gathers the volumes of a period from the services that count. */
@Injectable()
export class VolumeShares {
  constructor(private readonly operations: OperationClient) {}

  /** @throws Problem SERVICE_UNAVAILABLE when one of them does not answer */
  async gather(context: Reading, period: AnalyticsPeriod): Promise<Volumes> {
    const shares = await Promise.all(counting.map((name) => this.ask(context, name, period)));
    const counts = shares.flatMap((share) => share.counts);
    return assembleVolumes(counts, period, await this.mailboxes(context, counts));
  }

  /** The mailboxes that the caller may see, of a member those that something is counted for. */
  private async mailboxes(
    { caller, requestId }: Reading,
    counts: readonly VolumeCount[],
  ): Promise<readonly string[]> {
    if (caller.type === 'key') return Object.keys(caller.grants).sort();
    const named = new Set(counts.flatMap(({ scope }) => scope ?? []));
    const containers = [...named].map((id) => ({ type: 'mailbox' as const, id })).slice(0, 500);
    const asked = builtIns.mail.visible;
    const answer = await this.operations.call(asked, caller, { containers }, { requestId });
    if (answer.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
    const visible = JSON.parse(answer.body.toString()) as ContainerList;
    return visible.containers.map(({ id }) => id).sort();
  }

  private async ask(
    { caller, requestId }: Reading,
    name: ServiceName,
    period: AnalyticsPeriod,
  ): Promise<ServiceVolumes> {
    const operation = builtIns[name].volumes;
    const answer = await this.operations.call(operation, caller, period, { requestId });
    if (answer.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
    return JSON.parse(answer.body.toString()) as ServiceVolumes;
  }
}

const rowsMax = 5_000;

const agentDays = statement<AgentDay>(
  'access.agent_days',
  `SELECT key_id AS "keyId", name, operation, to_char(day, 'YYYY-MM-DD') AS day, filed, approved,
     rejected, expired, refused, failed, executed, median_ms AS "medianDecisionMs"
   FROM agent_days($1, $2, $3, $4, $5)`,
);

/** Figures of the writes that agents file, and of the decisions about them. */
export const AgentsHandlers = handlers(agents, {
  list: async (context, input) => {
    const [clock] = await context.rows(readClock, []);
    if (!clock) throw new Error(`no workspace ${context.tenantId}`);
    const { from, to, timeZone } = periodOf(input, clock);
    const found = await context.rows(agentDays, [timeZone, from, to, rowsMax + 1]);
    const isMore = found.length > rowsMax;
    return { items: found.slice(0, rowsMax), truncated: isMore, nextPageToken: null };
  },
});

export const readClock = statement<WorkspaceClock>(
  'access.workspace_clock',
  `SELECT time_zone AS "timeZone", to_char(today, 'YYYY-MM-DD') AS today FROM workspace_clock($1)`,
);

/** Figures of the workspace. */
export const AnalyticsHandlers = handlers(analytics, [VolumeShares], (shares) => ({
  summary: async (context, input) => {
    const [clock] = await context.rows(readClock, []);
    if (!clock) throw new Error(`no workspace ${context.tenantId}`);
    const period = periodOf(input, clock);
    const volumes = await shares.gather(context, period);
    return { summary: { volumes, metricAvailability: 'volumes_only' } };
  },
}));
