import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { isEmail, type JsonSchema } from '../fields/index.js';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
formats.default(ajv, ['date', 'date-time']);
// No library of JSON Schema knows this format (RFC 6531).
ajv.addFormat('idn-email', { type: 'string', validate: isEmail });

/** Judges values by a JSON Schema; throws for a schema that is none. */
export function validatorOf(schema: JsonSchema): (value: unknown) => boolean {
  const validate = ajv.compile(schema);
  return (value) => validate(value);
}

/** The keywords that our schemas use. */
interface Keywords {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Keywords[];
  readonly oneOf?: readonly Keywords[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Keywords;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
}

/** Values that a JSON Schema of ours allows: what a careful client may send, and an answer hold. */
export const valuesOf = (schema: JsonSchema): fc.Arbitrary<unknown> => values(schema);

function values(schema: Keywords): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(values));
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => values({ ...schema, type: String(type) })));
  }
  const ofType = byType[String(schema.type)];
  if (!ofType) throw new Error(`No values for ${JSON.stringify(schema)}`);
  return ofType(schema);
}

const byType: Readonly<Record<string, (schema: Keywords) => fc.Arbitrary<unknown>>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: ({ minimum, maximum }) =>
    fc.integer({
      ...(minimum !== undefined && { min: minimum }),
      ...(maximum && { max: maximum }),
    }),
  number: ({ minimum = 0, maximum = 1 }) => fc.double({ min: minimum, max: maximum, noNaN: true }),
  string: (schema) => {
    if (schema.format === 'date-time') return moments;
    if (schema.format === 'date') return moments.map((moment) => moment.slice(0, 10));
    if (schema.format === 'idn-email') return emails;
    const prefix = /^\^(\w{3}_)/.exec(schema.pattern ?? '')?.[1];
    if (prefix) return fc.ulid().map((ulid) => prefix + ulid);
    // A form that says the length too is met by no text at random.
    const { pattern, minLength } = schema;
    const isWhole = pattern !== undefined && minLength === undefined;
    return isWhole ? fc.stringMatching(new RegExp(pattern)) : texts(schema);
  },
  array: ({ items = {}, maxItems = 0, uniqueItems }) => {
    const length = { maxLength: Math.min(maxItems, 4) };
    return uniqueItems ? fc.uniqueArray(values(items), length) : fc.array(values(items), length);
  },
  object: ({ properties = {}, required = [] }) =>
    fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, values(one)])),
      { requiredKeys: [...required] },
    ),
};

const moments = fc
  .tuple(
    fc.date({ min: new Date(0), max: new Date('2900-01-01T00:00:00Z'), noInvalidDate: true }),
    fc.constantFrom('', '.5', '.123', '.123456789'),
    fc.constantFrom('Z', '+00:00', '-00:00', '+05:30', '-11:00', '+23:59'),
  )
  .map(([date, fraction, zone]) => date.toISOString().slice(0, 19) + fraction + zone);

const emails = fc
  .tuple(
    fc.stringMatching(/^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~.éΣ用-]{1,64}$/),
    fc.array(fc.stringMatching(/^[a-zA-Z0-9éß日]([a-zA-Z0-9-]{0,10}[a-z0-9])?$/), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([local, labels]) => `${local}@${labels.join('.')}`);

/** Any code points but U+0000, which no text of ours may hold. */
const texts = ({ minLength = 0, maxLength = 0, pattern }: Keywords): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'binary', minLength, maxLength })
    .map((text) => text.replaceAll('\u0000', '!'))
    .filter((text) => pattern === undefined || new RegExp(pattern, 'u').test(text));
