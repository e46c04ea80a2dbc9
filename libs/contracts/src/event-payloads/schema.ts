import type { EventType } from '../events.js';
import {
  Count,
  fieldsOf,
  fieldSchema,
  Id,
  Instant,
  jsonSchema,
  OneOf,
  Text,
  type Dto,
  type JsonSchema,
  type Nested,
} from '../fields/index.js';
import { eventPayloads, type EventVersion } from './payloads.js';

/** What every event says of itself, in this order, before its data. */
class EventHead {
  @Id('evn', 'The event; the same in every delivery of it.')
  id!: string;

  @Instant('When it happened.')
  occurredAt!: string;

  @Id('ten', 'The workspace.')
  tenantId!: string;

  @Count('Counts the events of the resource, without a gap.', { max: Number.MAX_SAFE_INTEGER })
  sequence!: number;

  @OneOf(['app', 'api', 'mcp', 'inbound', 'automation'], 'Where the change came from.')
  source!: 'app' | 'api' | 'mcp' | 'inbound' | 'automation';
}

/** Who made the change. */
class EventActorPart {
  @OneOf(['key', 'member', 'system'], 'An API key, a signed-in member, or the service itself.')
  type!: 'key' | 'member' | 'system';

  @Text('The key or the member; null for the service itself.', { max: 30, nullable: true })
  id!: string | null;
}

/** How {@link eventSchema} writes. */
export interface EventSchemaOptions {
  /** How the parts of the data appear; written out by default. */
  readonly nested?: Nested;
  /** Allow no field beyond the declared ones: for holding an event that we emit against it. */
  readonly closed?: boolean;
}

/** The JSON Schema of an event of this type and version: the body of a webhook (`decisions.md` §8). */
export function eventSchema(
  type: EventType,
  version: EventVersion,
  { nested, closed = false }: EventSchemaOptions = {},
): JsonSchema {
  const { resource, [version]: payload } = eventPayloads[type];
  const write = (dto: Dto): JsonSchema => jsonSchema(dto, { closed, ...(nested && { nested }) });
  const head = Object.fromEntries(
    fieldsOf(EventHead).map((field) => [field.name, fieldSchema(field)]),
  );
  const properties = {
    id: head.id,
    type: { type: 'string', const: type, description: 'What happened.' },
    occurredAt: head.occurredAt,
    tenantId: head.tenantId,
    apiVersion: { type: 'string', const: version, description: 'Version of the payload.' },
    resource: { ...object(resourceFields(resource), closed), description: 'What it happened to.' },
    sequence: head.sequence,
    actor: { ...jsonSchema(EventActorPart, { closed }), description: 'Who made the change.' },
    source: head.source,
    approvedBy: {
      ...jsonSchema(EventActorPart, { closed }),
      description: 'Who approved it, of an agent’s write that had to wait; absent of any other.',
    },
    data: payload.data ? write(payload.data) : { type: 'object', description: 'Any object.' },
    previous: previousSchema(payload.previous && write(payload.previous), payload.data !== null),
  };
  return object(properties, closed);
}

const object = (properties: Readonly<Record<string, unknown>>, closed: boolean): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => name !== 'approvedBy'),
  ...(closed && { additionalProperties: false }),
});

const resourceFields = (resource: string | null): Readonly<Record<string, JsonSchema>> => ({
  type: {
    type: 'string',
    ...(resource === null ? { maxLength: 40 } : { const: resource }),
    description: 'Its kind.',
  },
  id: { type: 'string', maxLength: 30, description: 'Its identifier.' },
});

/** Some fields of the record, none of them promised; null when nothing had another value before. */
function previousSchema(record: JsonSchema | null, isDecided: boolean): JsonSchema {
  const description = 'Old values of the fields that changed; null when none did.';
  if (record) {
    const { required: _none, ...some } = record;
    return { ...some, type: ['object', 'null'], description };
  }
  return { type: isDecided ? 'null' : ['object', 'null'], description };
}
