import { JsonObject, Count, Id, Instant, OneOf, Part, Text } from '../fields/index.js';
import { eventGroups, type EventType } from '../events.js';

const eventTypes = Object.values(eventGroups).flat();

/** What an event happened to. */
export class FeedEventResource {
  @Text('Its kind.', { max: 40 })
  type!: string;

  @Text('Its identifier.', { max: 30 })
  id!: string;
}

/** Who made the change of an event. */
export class FeedEventActor {
  @OneOf(['key', 'member', 'system'], 'An API key, a signed-in member, or the service itself.')
  type!: 'key' | 'member' | 'system';

  @Text('The key or the member; null for the service itself.', { max: 30, nullable: true })
  id!: string | null;
}

/** An event, as it is posted to subscriptions; its schema by type is among the webhooks. */
export class FeedEvent {
  @Id('evn', 'The event; the same in every delivery of it.')
  id!: string;

  @OneOf(eventTypes, 'What happened.')
  type!: EventType;

  @Instant('When it happened.')
  occurredAt!: string;

  @Id('ten', 'The workspace.')
  tenantId!: string;

  @OneOf(['v1'], 'Version of the payload.')
  apiVersion!: 'v1';

  @Part(() => FeedEventResource, 'What it happened to.')
  resource!: FeedEventResource;

  @Count('Counts the events of the resource, without a gap.', { max: Number.MAX_SAFE_INTEGER })
  sequence!: number;

  @Part(() => FeedEventActor, 'Who made the change.')
  actor!: FeedEventActor;

  @OneOf(['app', 'api', 'mcp', 'inbound', 'automation'], 'Where the change came from.')
  source!: 'app' | 'api' | 'mcp' | 'inbound' | 'automation';

  @Part(
    () => FeedEventActor,
    'Who approved it, of an agent’s write that had to wait; absent of any other.',
    { optional: true },
  )
  approvedBy?: FeedEventActor;

  @JsonObject('What the event says; its shape is that of its type.')
  data!: Readonly<Record<string, unknown>>;

  @JsonObject('Old values of the fields that changed; null when none did.', { nullable: true })
  previous!: Readonly<Record<string, unknown>> | null;
}
