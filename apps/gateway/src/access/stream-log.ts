import { Injectable } from '@nestjs/common';
import type { Presence } from '@postroom/contracts';
import type { MemberCaller } from '@postroom/access';
import type { EventRecord } from '@postroom/bus';
import type { Changing, Container } from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import { Visibility } from './visibility.js';

/** An event as it is read. */
export interface StreamEvent {
  readonly position: number;
  readonly type: string;
  readonly withinType: Container['type'] | 'role' | null;
  readonly withinId: string | null;
  /** JSON. */
  readonly data: string;
}

/** Events of one look into the log. */
const batchMax = 100;

const after = statement<StreamEvent>(
  'access.stream_after',
  `SELECT position::float8 AS position, type, within_type AS "withinType",
     within_id AS "withinId", data FROM stream_after($1, $2, $3)`,
);
const place = statement<{ lastPosition: number; isKnown: boolean }>(
  'access.stream_place',
  'SELECT last_position AS "lastPosition", is_known AS "isKnown" FROM stream_place($1, $2)',
);

/** A presence on its way to the streams of all gateways. */
export interface ToldPresence {
  readonly tenantId: string;
  readonly within: { readonly type: string; readonly id: string } | null;
  readonly presence: Presence;
}

/** Reads what a member may be told. */
@Injectable()
export class StreamReader {
  constructor(
    private readonly database: Database,
    private readonly visibility: Visibility,
  ) {}

  /**
   * Finds where a stream begins: after the event that the client has seen last, or now.
   * @returns `isGap`: what came after that event is not kept any more
   */
  async findStart({ tenantId }: MemberCaller, lastEventId: string | null) {
    const asked = lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
    const [found] = await this.database.rows(place, [tenantId, asked], tenantId);
    const { lastPosition = 0, isKnown = false } = found ?? {};
    if (isKnown) return { position: asked, isGap: false };
    return { position: lastPosition, isGap: lastEventId !== null };
  }

  /** Those of some presences that the member may see. */
  async presencesFor(caller: MemberCaller, told: readonly ToldPresence[]): Promise<Presence[]> {
    const places = told.map(({ within, presence }) => ({
      withinType: (within?.type ?? null) as Container['type'] | null,
      withinId: within?.id ?? null,
      presence,
    }));
    const context = { caller, requestId: 'stream' };
    const seen = await this.visibility.shownByOwners(context, places);
    return seen.map(({ presence }) => presence);
  }

  /** Reads the next events: up to where, and those that the member may see. */
  async next(caller: MemberCaller, position: number) {
    const { tenantId } = caller;
    const found = await this.database.rows(after, [tenantId, position, batchMax], tenantId);
    const approvals = found.filter(({ type }) => type.startsWith('approval.'));
    const others = found.filter((event) => !approvals.includes(event) && isForRole(event, caller));
    const context = { caller, requestId: 'stream' };
    // Administrators read every approval, but only the mail that is shared with them.
    const seen = [
      ...(await this.visibility.visible(context, approvals.map(placed))),
      ...(await this.visibility.shownByOwners(context, others.map(placed))),
    ];
    return {
      position: found.at(-1)?.position ?? position,
      isFull: found.length === batchMax,
      events: seen.sort((one, other) => one.position - other.position),
    };
  }
}

/** A notice for administrators alone has no container besides. */
const isForRole = ({ withinType }: StreamEvent, { role }: MemberCaller): boolean =>
  withinType !== 'role' || role === 'admin';

const placed = ({ withinType, withinId, ...event }: StreamEvent) =>
  withinType === 'role'
    ? { ...event, withinType: null, withinId: null }
    : { ...event, withinType, withinId };

/** A notice that members receive as it happens. */
export interface Notice {
  readonly type:
    | `approval.${string}`
    | `draft.${string}`
    | `${'contact' | 'event' | 'task' | 'import'}.${string}`
    | 'conversation.changed'
    | `delivery.${string}`
    | 'key.used'
    | 'mailbox.sync'
    | 'webhook.disabled'
    | 'reminder.due';
  /** Its readers receive the event; null: all members. */
  readonly within: Container | { readonly type: 'role'; readonly id: 'admin' } | null;
  readonly data: object;
}

const tell = statement<object>('access.tell_stream', 'SELECT tell_stream($1, $2, $3, $4, $5)');

/** Publishes a change to members in its commit. It is sent last, since the workspace is locked until then. */
export function tellMembers(
  { rows, last }: Pick<Changing, 'rows' | 'last'>,
  { type, within, data }: Notice,
): void {
  last(() => rows(tell, [type, within?.type ?? null, within?.id ?? null, JSON.stringify(data)]));
}

/** The notices to members that an event results in. */
export interface EventNotices {
  readonly event: Pick<EventRecord, 'id' | 'tenantId'>;
  readonly told: readonly Notice[];
}

const tellOfEvents = statement<object>(
  'access.tell_stream_of_events',
  `SELECT tell_stream_of_event(tenant, $1, event, told::jsonb)
   FROM unnest($2::text[], $3::text[], $4::text[]) AS list (tenant, event, told)`,
);

/** Publishes the notices of events to members, in order; an event that the consumer published before is skipped. */
export async function tellOfEventsOnce(
  database: Database,
  consumer: string,
  events: readonly EventNotices[],
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

const listed = ({ type, within, data }: Notice) => ({
  type,
  withinType: within?.type ?? null,
  withinId: within?.id ?? null,
  data: JSON.stringify(data),
});
