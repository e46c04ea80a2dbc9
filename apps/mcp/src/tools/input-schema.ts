import {
  fieldsOf,
  jsonSchema,
  type Dto,
  type Field,
  type JsonSchema,
  type Operation,
} from '@postroom/contracts';
import type { JsonObject } from '../json.js';
import type { ToolDeclaration } from './tool.js';

const mailbox = {
  type: 'string',
  maxLength: 320,
  description: 'Address of a mailbox that your key may read.',
};

/**
 * The input schema of a tool, read from its operation's fields. The root is an object without
 * combinators: the APIs of large models refuse a whole session for one. An object that only repeats the
 * fields beside it (`draft`, `contact`, `task`) is not written out again: each session pays for it.
 */
export function inputSchemaOf(
  operation: Operation,
  { renamed = {}, reachesMailbox = false, paging = {} }: ToolDeclaration,
  required: readonly string[],
): JsonObject {
  const { path, query, body } = operation.fields;
  const isFreeForm = operation.unknownFields === 'ignore';
  const only = [...path, ...query, ...body].filter(isForClients);
  const names = only.map(({ name }) => name);
  const nested = (part: Dto): JsonSchema =>
    isFreeForm && fieldsOf(part).every(({ name }) => names.includes(name))
      ? { type: 'object', additionalProperties: true }
      : jsonSchema(part, { closed: !isFreeForm });
  const schema = jsonSchema(operation.input, { only, closed: !isFreeForm, nested });
  const argumentOf = new Map(Object.entries(renamed).map(([argument, field]) => [field, argument]));
  const properties = Object.entries(schema['properties'] as JsonObject).map(([field, value]) => [
    argumentOf.get(field) ?? field,
    value,
  ]);
  return {
    type: 'object',
    properties: {
      ...(Object.fromEntries(properties) as JsonObject),
      ...(reachesMailbox && { mailbox }),
      ...paging,
    },
    ...(required.length > 0 && { required }),
    additionalProperties: isFreeForm,
  };
}

/** Walking through pages is not offered to tools. */
const isForClients = ({ name }: Field): boolean => name !== 'pageToken';
