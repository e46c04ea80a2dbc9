import type { Dto, Field, JsonSchema, Nested } from './field-facts.js';
import { fieldsOf } from './registry.js';

/** The schema of one property's value, null included, its description left out. */
export function valueSchema(field: Field, nested: Nested = (part) => jsonSchema(part)): JsonSchema {
  const own = field.schema(nested);
  return field.nullable !== false ? orNull(own) : own;
}

/**
 * The description of a field, with the value that it has where it is not given. No schema has a `default`: generators send it, or take the
 * field for one that is always there.
 */
export const describedField = ({ about, default: otherwise }: Field): string =>
  otherwise === undefined || (Array.isArray(otherwise) && otherwise.length === 0)
    ? about
    : `${about} ${JSON.stringify(otherwise)} when absent.`;

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(words) && { enum: [...(words as unknown[]), null] }),
  };
}

/** The schema of one property with its description. */
export const fieldSchema = (field: Field, nested?: Nested): JsonSchema => ({
  ...valueSchema(field, nested),
  description: describedField(field),
});

/** Options of {@link jsonSchema}. */
export interface SchemaOptions {
  /**
   * Some of the fields only: the body of an operation whose path parameters stand in the same flat
   * class.
   */
  readonly only?: readonly Field[];
  /** Allow no other properties, as decoding does for an operation that refuses unknown fields. */
  readonly closed?: boolean;
  /** Form of nested DTOs; written out by default. */
  readonly nested?: Nested;
}

/** The JSON Schema of a DTO, read from its fields. */
export function jsonSchema(dto: Dto, options: SchemaOptions = {}): JsonSchema {
  const { only: fields = fieldsOf(dto), closed = false } = options;
  const { nested = (part: Dto): JsonSchema => jsonSchema(part, { closed }) } = options;
  const required = fields.filter((field) => !field.optional).map((field) => field.name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, nested)])),
    ...(required.length > 0 && { required }),
    ...(closed && { additionalProperties: false }),
  };
}
