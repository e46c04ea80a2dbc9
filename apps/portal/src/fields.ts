import {
  describedField,
  type Dto,
  fieldsOf,
  type Field,
  type JsonSchema,
  valueSchema,
} from '@postroom/contracts';
import type { Block, FieldRow } from './page.js';
import { objectPath } from './shared-objects.js';

/** Fields as the reference shows them, with those of the objects in them that have no page of their own. */
export const rowsOf = (fields: readonly Field[]): readonly FieldRow[] =>
  fields.map((field) => {
    const part = field.part?.();
    const page = part && objectPath(part);
    const schema = valueSchema(field, () => ({ type: 'object' }));
    const kind = kindOf(schema);
    return {
      name: field.header ?? field.name,
      kind: page ? kind.replace('object', `[${part.name}](${page})`) : kind,
      isRequired: !field.optional,
      about: describedField(field),
      parts: part
        ? page
          ? []
          : rowsOf(fieldsOf(part))
        : schemaRows(schema['items'] as JsonSchema),
    };
  });

/** Fields of an object, where its schema alone has them: an item of a list, a message of a protocol. */
export const schemaRows = ({
  properties = {},
  required = [],
}: JsonSchema = {}): readonly FieldRow[] =>
  Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => ({
    name,
    kind: kindOf(schema),
    isRequired: (required as readonly string[]).includes(name),
    about: (schema['description'] ?? '') as string,
    parts: [],
  }));

/** The fields of an object under a heading, or the page that has them. */
export function objectBlock(heading: string, dto: Dto): Block {
  const page = objectPath(dto);
  return page
    ? `## ${heading}\n\n[${dto.name}](${page})`
    : { heading, fields: rowsOf(fieldsOf(dto)) };
}

/** The type of a value and its bounds, in words. */
export function kindOf(schema: JsonSchema): string {
  const choices = (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined;
  if (choices && schema['type'] !== 'object') return [...new Set(choices.map(kindOf))].join(' or ');
  if ('const' in schema) return code(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(code).join(', ');
  const types = [schema['type'] ?? 'any value'].flat() as unknown[];
  return types.map((type) => named(String(type), schema)).join(' or ');
}

const code = (value: unknown): string =>
  value === null ? 'null' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

function named(type: string, schema: JsonSchema): string {
  switch (type) {
    case 'string':
      return bounded(textOf(schema), 'characters', schema['minLength'], schema['maxLength']);
    case 'array':
      return bounded(
        `list of ${kindOf((schema['items'] ?? {}) as JsonSchema)}`,
        'items',
        schema['minItems'],
        schema['maxItems'],
      );
    case 'integer':
    case 'number':
      return bounded(type, '', schema['minimum'], schema['maximum']);
    default:
      return type;
  }
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'time (ISO 8601)',
  date: 'date (YYYY-MM-DD)',
  'idn-email': 'mail address',
  'recipient-address': 'mail address',
  recipient: 'recipient (`Name <address>`)',
  recipients: 'recipients, separated by commas',
  uri: 'URL',
};

const idStart = /^\^([a-z]{3})_\[0-7\]/;

function textOf({ format, pattern }: JsonSchema): string {
  const [, prefix] = idStart.exec(String(pattern)) ?? [];
  if (prefix !== undefined) return `id (\`${prefix}_…\`)`;
  return formats[String(format)] ?? 'text';
}

/** Beyond this a bound is that of the number, or of a time, and says nothing. */
const telling = 1_000_000_000_000;

function bounded(kind: string, unit: string, least: unknown, most: unknown): string {
  if (/^(id|time|date|mail)/.test(kind)) return kind;
  const from = typeof least === 'number' && least > 1 ? least.toLocaleString('en') : '';
  const to = typeof most === 'number' && most < telling ? most.toLocaleString('en') : '';
  if (to === '') return from === '' ? kind : `${kind}, at least ${from}`;
  if (unit === '') return `${kind}, ${String(least)} to ${to}`;
  return `${kind}, ${from === '' ? 'at most' : `${from} to`} ${to} ${unit}`;
}
