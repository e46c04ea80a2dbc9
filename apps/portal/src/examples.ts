import {
  type Example,
  exampleOf as testedExample,
  FileAnswer,
  jsonSchema,
  type JsonSchema,
  type Operation,
} from '@postroom/contracts';

/** The example that a test runs, or else one made from the descriptions of the fields. */
export const exampleOf = (operation: Operation): Example =>
  testedExample(operation) ?? derivedExample(operation);

function derivedExample(operation: Operation): Example {
  const { path, query, body } = operation.fields;
  const given = [...path, ...query, ...body];
  const required = given.filter((field) => !field.optional);
  // A change names at least one field.
  const isEmpty = !required.some((field) => body.includes(field));
  const only = isEmpty ? [...required, ...body.slice(0, 1)] : required;
  const isJson = operation.output !== FileAnswer && operation.answer !== 'lines';
  return {
    input: valueOf(jsonSchema(operation.input, { only }), 'input') as Example['input'],
    answer: isJson ? valueOf(jsonSchema(operation.output), 'answer') : '',
  };
}

const values: Readonly<Record<string, unknown>> = {
  address: 'support@acme.test',
  body: '<p>It is on its way.</p>',
  displayName: 'Camille Durand',
  email: 'camille@example.com',
  host: 'mx.example.com',
  html: '<p>The Acme team</p>',
  mailbox: 'support@acme.test',
  name: 'Support',
  password: 'correct horse battery staple',
  q: 'from:camille invoice',
  subject: 'Your order',
  text: 'I am on it.',
  timeZone: 'Europe/Paris',
  title: 'Call Camille',
  to: 'Camille <camille@example.com>',
  url: 'https://hooks.example.com/postroom',
};

/** A value that a schema allows, or that shows what stands there. */
function valueOf(schema: JsonSchema, name: string): unknown {
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [type] = [schema['type']].flat();
  if (type !== 'object') {
    const known = schema['format'] !== undefined && name === 'name' ? undefined : values[name];
    if (known !== undefined) return known;
    const [choice] = choicesOf(schema);
    if (choice) return valueOf(choice, name);
  }
  return valuesByType[String(type)]?.(schema, name) ?? null;
}

const choicesOf = ({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] =>
  (anyOf ?? oneOf ?? []) as readonly JsonSchema[];

const numberOf = ({ minimum = 1 }: JsonSchema, name: string): number =>
  name.endsWith('Ms') ? 1_796_029_200_000 : Math.max(1, Number(minimum));

const valuesByType: Readonly<Record<string, (schema: JsonSchema, name: string) => unknown>> = {
  array: ({ items = {} }, name) => [valueOf(items as JsonSchema, name.replace(/s$/, ''))],
  boolean: () => true,
  integer: numberOf,
  number: numberOf,
  object: ({ properties = {} }) =>
    Object.fromEntries(
      Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([key, part]) => [
        key,
        valueOf(part, key),
      ]),
    ),
  string: textOf,
};

const idStart = /^\^([a-z]{3})_\[0-7\]/;

function textOf({ format, pattern }: JsonSchema): string {
  const [, prefix] = idStart.exec(String(pattern)) ?? [];
  if (prefix !== undefined) return `${prefix}_01KB4Z7M3QWX5T9N2V8R6C0D1E`;
  if (format === 'date-time') return '2026-11-30T09:00:00.000Z';
  if (format === 'date') return '2026-11-30';
  return format === undefined ? '…' : 'camille@example.com';
}
