import type { EventRecord } from '@postroom/bus';
import type { Container, Changing } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';

/** Something that members are told as it happens. */
export interface Told {
  readonly type:
    `approval.${string}` | 'conversation.changed' | 'webhook.disabled' | 'reminder.due';
  /** Whose readers are told; null: all members. */
  readonly within: Container | null;
  readonly data: object;
}

const tell = statement<object>('access.tell_stream', 'SELECT tell_stream($1, $2, $3, $4, $5)');

/** Tells members of a change in its commit. The handler's last statement: it locks the workspace until the commit. */
export async function tellMembers(
  { rows }: Pick<Changing, 'rows'>,
  { type, within, data }: Told,
): Promise<void> {
  await rows(tell, [type, within?.type ?? null, within?.id ?? null, JSON.stringify(data)]);
}

/** What an event says to members. */
export interface EventTold {
  readonly event: Pick<EventRecord, 'id' | 'tenantId'>;
  readonly told: readonly Told[];
}

const tellOfEvents = statement<object>(
  'access.tell_stream_of_events',
  `SELECT tell_stream_of_event(tenant, $1, event, told::jsonb)
   FROM unnest($2::text[], $3::text[], $4::text[]) AS list (tenant, event, told)`,
);

/** Tells members of what events say, in order; nothing of those of which the consumer has told before. */
export async function tellOfEventsOnce(
  database: Database,
  consumer: string,
  events: readonly EventTold[],
): Promise<void> {
  // By workspace: two gateways lock them in one order.
  const sorted = events.toSorted((a, b) => compare(a.event.tenantId, b.event.tenantId));
  await database.rows(tellOfEvents, [
    consumer,
    sorted.map(({ event }) => event.tenantId),
    sorted.map(({ event }) => event.id),
    sorted.map(({ told }) => JSON.stringify(told.map(listed))),
  ]);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const listed = ({ type, within, data }: Told) => ({
  type,
  withinType: within?.type ?? null,
  withinId: within?.id ?? null,
  data: JSON.stringify(data),
});
