import {
  Count,
  type Dto,
  Id,
  Instant,
  JsonObject,
  jsonSchema,
  type JsonSchema,
  type Nested,
  OneOf,
  Part,
  Text,
} from '../fields/index.js';
import { eventGroups, type EventType, type SubscribedType } from '../events.js';
import { eventPayloads } from './payloads.js';

const eventTypes = Object.values(eventGroups).flat();

/** The resource that an event happened to. */
export class FeedEventResource {
  @Text('Its kind.', { max: 40 })
  type!: string;

  @Text('Its identifier.', { max: 30 })
  id!: string;
}

/** Author of the change of an event. */
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

/** Options of {@link eventSchema}. */
export interface EventSchemaOptions {
  /** Form of the parts of the data; written out by default. */
  readonly nested?: Nested;
  /** Allow no field beyond the declared ones: for holding an event that we emit against it. */
  readonly closed?: boolean;
  /** The name that it is delivered under, where that is another one than its type. */
  readonly name?: SubscribedType;
}

/** The JSON Schema of an event of this type: the body of a webhook (`decisions.md` §8). */
export function eventSchema(
  type: EventType,
  { nested, closed = false, name = type }: EventSchemaOptions = {},
): JsonSchema {
  const { resource, data, previous } = eventPayloads[type];
  const write = (dto: Dto): JsonSchema => jsonSchema(dto, { closed, ...(nested && { nested }) });
  const event = jsonSchema(FeedEvent, { closed });
  const properties = event.properties as Readonly<Record<string, JsonSchema>>;
  return {
    ...event,
    properties: {
      ...properties,
      type: { type: 'string', const: name, description: 'What happened.' },
      apiVersion: { type: 'string', const: 'v1', description: 'Version of the payload.' },
      resource: resourceSchema(properties['resource'], resource),
      data: data ? write(data) : { type: 'object', description: 'Any object.' },
      previous: previousSchema(previous && write(previous), data !== null),
    },
  };
}

/** With the kind that the type's resources are of, where that is decided. */
function resourceSchema(schema: JsonSchema = {}, kind: string | null): JsonSchema {
  if (kind === null) return schema;
  const type = { type: 'string', const: kind, description: 'Its kind.' };
  return { ...schema, properties: { ...(schema.properties as object), type } };
}

/** Some fields of the record, none of them promised; null when nothing had another value before. */
function previousSchema(record: JsonSchema | null, isDecided: boolean): JsonSchema {
  const description = 'Old values of the fields that changed; null when none did.';
  if (record) {
    const { required: _none, ...some } = record;
    return { ...some, type: ['object', 'null'], description };
  }
  return { type: isDecided ? 'null' : ['object', 'null'], description };
}
