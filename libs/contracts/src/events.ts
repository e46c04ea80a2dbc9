/** Author of a change, as events and audit records name it. */
export interface EventActor {
  readonly type: 'key' | 'member' | 'system';
  readonly id: string | null;
}

/** A service itself. */
export const systemActor: EventActor = { type: 'system', id: null };

/**
 * The event types of the service by group (public-api.md §6). A group is a topic of the bus; a type
 * outside this list is never emitted. `comment.added` is a historical alias of
 * `conversation.commented`, a name a subscription may use, not a type of its own.
 */
export const eventGroups = {
  messaging: [
    'conversation.received',
    'conversation.assigned',
    'conversation.labeled',
    'conversation.commented',
    'message.sent',
  ],
  contacts: ['contact.created', 'contact.updated', 'contact.deleted', 'contact.merged'],
  calendar: [
    'calendar_event.created',
    'calendar_event.updated',
    'calendar_event.deleted',
    'calendar_event.rsvp_changed',
  ],
  tasks: ['task.created', 'task.updated', 'task.completed', 'task.deleted'],
  test: ['integration.test'],
  helpdesk: [
    'channel.message.received',
    'channel.message.sent',
    'channel.note.recorded',
    'channel.delivery.updated',
    'ticket.created',
    'ticket.assigned',
    'ticket.fields_changed',
    'ticket.status_changed',
    'ticket.sla_breached',
    'ticket.escalated',
    'knowledge.article.published',
    'csat.response.created',
  ],
} as const;

export type EventGroup = keyof typeof eventGroups;
export type EventType = (typeof eventGroups)[EventGroup][number];

/** Origin of a change (`decisions.md` §8). */
export type EventSource = 'app' | 'api' | 'mcp' | 'inbound' | 'automation';

/** An event as it stands in an outbox and is delivered: the body of a webhook (`decisions.md` §8). */
export interface EventEnvelope {
  readonly id: string;
  readonly type: EventType;
  readonly occurredAt: string;
  readonly tenantId: string;
  readonly apiVersion: 'v1';
  readonly resource: { readonly type: string; readonly id: string };
  /** Gapless per resource, from a counter on the resource's row. */
  readonly sequence: number;
  readonly actor: EventActor;
  readonly source: EventSource;
  /** The member who approved it, of an agent's write that had to wait (`decisions.md` §6). */
  readonly approvedBy?: EventActor;
  readonly data: object;
  /** Old values of the changed fields, on updates. */
  readonly previous: object | null;
}

const groupByType = new Map<string, EventGroup>(
  Object.entries(eventGroups).flatMap(([group, types]) =>
    types.map((type) => [type, group as EventGroup] as const),
  ),
);

/** The group (and so the topic) of an event type; undefined for a type outside the list. */
export const eventGroup = (type: string): EventGroup | undefined => groupByType.get(type);

/** A historical alias of `conversation.commented`, as a name that a subscription may use. */
export const commentAlias = 'comment.added';

/** Event types that a subscription may name: every type, and the alias. */
export type SubscribedType = EventType | typeof commentAlias;

export const subscribedTypes = [
  ...Object.values(eventGroups).flat(),
  commentAlias,
] as readonly SubscribedType[] as readonly [SubscribedType, ...SubscribedType[]];

/** A sentence about the events of a type, from its name. */
export function eventSummary(type: EventType): string {
  const [what = '', did = ''] = type.split(/\.(?=[^.]+$)/);
  const article = /^[aeio]/.test(what) ? 'an' : 'a';
  return `Tells that ${article} ${what.replaceAll(/[._]/g, ' ')} ${did === 'test' ? 'is tested' : `was ${did.replaceAll('_', ' ')}`}.`;
}
