import {
  fieldsOf,
  jsonSchema,
  type Dto,
  type Field,
  type JsonSchema,
  type Operation,
} from '@postroom/contracts';
import { isRecord, type JsonObject } from '../json.js';
import type { ToolDeclaration } from './tool.js';

const mailbox = { type: 'string', description: 'Address of a mailbox of yours.' };

/**
 * The input schema of a tool, read from its operation's fields and made lean (`decisions.md` §7): every session of
 * a model pays for it, and what constrains a model's output (llama.cpp, llguidance, the conversions of the large
 * APIs) takes plain types, enums, small bounds and descriptions alone. The gateway validates by the full rules.
 * An object that only repeats the fields beside it (`draft`, `contact`, `task`) is accepted and not advertised.
 */
export function inputSchemaOf(
  operation: Operation,
  declaration: ToolDeclaration,
  required: readonly string[],
): JsonObject {
  const { renamed = {}, reachesMailbox = false, paging = {}, advertised = {} } = declaration;
  const only = fieldsOfCalls(operation).filter(
    (field) => !isWrapper(operation, field) && advertised[field.name] !== null,
  );
  const schema = jsonSchema(operation.input, { only });
  const argumentOf = new Map(Object.entries(renamed).map(([argument, field]) => [field, argument]));
  const properties = Object.entries(schema['properties'] as JsonObject).map(([field, value]) => [
    argumentOf.get(field) ?? field,
    advertised[field] ?? told(field, lean(value as JsonSchema)),
  ]);
  return {
    type: 'object',
    properties: {
      ...(Object.fromEntries(properties) as JsonObject),
      ...(reachesMailbox && { mailbox }),
      ...paging,
    },
    ...(required.length > 0 && { required }),
  };
}

/** The fields that a call may give; walking through pages is not offered to tools. */
export const fieldsOfCalls = ({ fields: { path, query, body } }: Operation): readonly Field[] =>
  [...path, ...query, ...body].filter(({ name }) => name !== 'pageToken');

/** Names of the arguments that are objects or lists. */
export function structuresOf(operation: Operation): ReadonlySet<string> {
  const { properties } = jsonSchema(operation.input, { only: fieldsOfCalls(operation) });
  const all = Object.entries(leanProperties(properties as JsonObject));
  return new Set(
    all.flatMap(([name, schema]) => {
      const type = isRecord(schema) ? schema['type'] : undefined;
      return type === 'object' || type === 'array' ? [name] : [];
    }),
  );
}

/** True for an object of a free-form input that only repeats the fields beside it. */
export function isWrapper(operation: Operation, { part, list }: Field): boolean {
  if (!part || list || operation.unknownFields !== 'ignore') return false;
  const names = new Set(fieldsOfCalls(operation).map(({ name }) => name));
  return fieldsOf(part() as Dto).every(({ name }) => names.has(name));
}

/** A bound that a grammar can be made of. */
const boundMax = 1_000;

/** The list among several forms of a value, which holds the others, else the first. */
const formOf = (branches: readonly JsonSchema[]): JsonSchema =>
  branches.find(({ type }) => type === 'array') ?? branches[0] ?? {};

function lean(schema: JsonSchema): JsonSchema {
  const { type, description } = schema;
  const branches = [schema['anyOf'], schema['oneOf']].flatMap(listOf).filter(isRecord);
  const isOneOfTypes = type === undefined && branches.length > 0;
  const told = isText(description) ? { description } : {};
  if (isOneOfTypes) return { ...lean(formOf(branches)), ...told };
  return {
    type: listOf(type).find((one) => one !== 'null') ?? 'string',
    ...boundsOf(schema),
    ...partsOf(schema),
    ...told,
  };
}

function boundsOf({ enum: words, minimum, maximum }: JsonSchema): JsonSchema {
  if (Array.isArray(words)) return { enum: words.filter((word) => word !== null) };
  return typeof maximum === 'number' && maximum <= boundMax ? { minimum, maximum } : {};
}

const partsOf = ({ items, properties, required }: JsonSchema): JsonSchema => ({
  ...(isRecord(items) && { items: lean(items) }),
  ...(isRecord(properties) && { properties: leanProperties(properties) }),
  ...(Array.isArray(required) && { required }),
});

const leanProperties = (properties: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      told(name, lean(schema as JsonSchema)),
    ]),
  );

/** With the first sentence of its description, unless it only repeats the name: `givenName`, "Given name." */
function told(name: string, { description, ...schema }: JsonSchema): JsonSchema {
  if (!isText(description)) return schema;
  const [sentence = ''] = description.split(/(?<=\.) /, 1);
  const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  return letters(sentence) === letters(name) ? schema : { ...schema, description: sentence };
}

const isText = (value: unknown): value is string => typeof value === 'string';

const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as unknown[]) : [value];
