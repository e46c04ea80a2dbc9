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

const tellOfEvent = statement<object>(
  'access.tell_stream_of_event',
  'SELECT tell_stream_of_event($1, $2, $3, $4)',
);

/** Tells members of what an event says, in order; nothing when an earlier delivery did to the consumer. */
export async function tellOfEventOnce(
  database: Database,
  consumer: string,
  { id, tenantId }: Pick<EventRecord, 'id' | 'tenantId'>,
  told: readonly Told[],
): Promise<void> {
  const list = told.map(({ type, within, data }) => ({
    type,
    withinType: within?.type ?? null,
    withinId: within?.id ?? null,
    data: JSON.stringify(data),
  }));
  await database.rows(tellOfEvent, [tenantId, consumer, id, JSON.stringify(list)]);
}
