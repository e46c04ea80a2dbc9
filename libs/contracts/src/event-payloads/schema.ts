import type { EventType } from '../events.js';
import { jsonSchema, type Dto, type JsonSchema, type Nested } from '../fields/index.js';
import { FeedEvent } from '../webhooks/feed-event.js';
import type { SubscribedType } from '../webhooks/subscription.js';
import { eventPayloads, type EventVersion } from './payloads.js';

/** How {@link eventSchema} writes. */
export interface EventSchemaOptions {
  /** How the parts of the data appear; written out by default. */
  readonly nested?: Nested;
  /** Allow no field beyond the declared ones: for holding an event that we emit against it. */
  readonly closed?: boolean;
  /** The name that it is delivered under, where that is another one than its type. */
  readonly name?: SubscribedType;
}

/** The JSON Schema of an event of this type and version: the body of a webhook (`decisions.md` §8). */
export function eventSchema(
  type: EventType,
  version: EventVersion,
  { nested, closed = false, name = type }: EventSchemaOptions = {},
): JsonSchema {
  const { resource, [version]: payload } = eventPayloads[type];
  const write = (dto: Dto): JsonSchema => jsonSchema(dto, { closed, ...(nested && { nested }) });
  const event = jsonSchema(FeedEvent, { closed });
  const properties = event.properties as Readonly<Record<string, JsonSchema>>;
  return {
    ...event,
    properties: {
      ...properties,
      type: { type: 'string', const: name, description: 'What happened.' },
      apiVersion: { type: 'string', const: version, description: 'Version of the payload.' },
      resource: resourceSchema(properties['resource'], resource),
      data: payload.data ? write(payload.data) : { type: 'object', description: 'Any object.' },
      previous: previousSchema(payload.previous && write(payload.previous), payload.data !== null),
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
