import { fieldsOf, type Dto, type Field, type JsonSchema } from './registry.js';

/** The schema of one property, with its description, default and null. */
export function fieldSchema(field: Field): JsonSchema {
  const own = field.schema();
  const { type, enum: words } = own;
  return {
    ...own,
    ...(field.nullable && typeof type === 'string' && { type: [type, 'null'] }),
    ...(field.nullable && Array.isArray(words) && { enum: [...(words as unknown[]), null] }),
    description: field.about,
    ...(field.default !== undefined && { default: field.default }),
  };
}

/**
 * The JSON Schema of a DTO, read from its fields. `only` narrows it to some of them (the body of an
 * operation whose path and query parameters stand in the same flat class).
 */
export function jsonSchema(dto: Dto, only?: readonly Field[]): JsonSchema {
  const fields = only ?? fieldsOf(dto);
  const required = fields.filter((field) => !field.optional).map((field) => field.name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
  };
}
