import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { recipientNamed, recipientsOf } from '../fields/address.js';
import { isEmail, type JsonSchema } from '../fields/index.js';
import { unseenOfOtherPlanes } from '../fields/values.js';

// Schemas constrain combinations of properties apart from the properties themselves.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
formats.default(ajv, ['date', 'date-time']);
// No library of JSON Schema knows this format (RFC 6531).
ajv.addFormat('idn-email', { type: 'string', validate: isEmail });
// Ours: what RFC 5322 §3.4 calls addr-spec, mailbox and mailbox-list.
const isRecipient = (text: string): boolean => recipientNamed(text, '') !== undefined;
ajv.addFormat('recipient-address', { type: 'string', validate: isRecipient });
ajv.addFormat('recipient', {
  type: 'string',
  validate: (text: string) => recipientsOf(text)?.length === 1,
});
ajv.addFormat('recipients', {
  type: 'string',
  validate: (text: string) => text === '' || (recipientsOf(text)?.length ?? 501) <= 500,
});

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
  readonly contentEncoding?: string;
  readonly items?: Keywords;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly not?: JsonSchema;
}

/** Values that a JSON Schema of ours allows: what a careful client may send, and an answer hold. */
export const valuesOf = (schema: JsonSchema): fc.Arbitrary<unknown> => values(schema);

/** Generators by the schemas that were asked for before: fast-check takes long to make one of a pattern. */
const known = new Map<string, fc.Arbitrary<unknown>>();

function values(schema: Keywords): fc.Arbitrary<unknown> {
  const key = JSON.stringify(schema);
  const found = known.get(key) ?? newValues(schema);
  known.set(key, found);
  return found;
}

function newValues(schema: Keywords): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && !schema.properties) return fc.oneof(...choices.map(values));
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => values({ ...schema, type: String(type) })));
  }
  const ofType = byType[String(schema.type)];
  if (!ofType) throw new Error(`No values for ${JSON.stringify(schema)}`);
  return ofType(schema);
}

const lookahead = /\(\?[=!<]/;

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
    const ofFormat = byFormat[schema.format ?? ''];
    if (ofFormat) return ofFormat(schema);
    if (schema.contentEncoding === 'base64') return base64;
    const prefix = /^\^(\w{3}_)/.exec(schema.pattern ?? '')?.[1];
    if (prefix) return fc.ulid().map((ulid) => prefix + ulid);
    // A form that says the length too is met by no text at random; lookaheads fast-check has not.
    const { pattern, minLength } = schema;
    const isMade = pattern !== undefined && minLength === undefined && !lookahead.test(pattern);
    return isMade ? fc.stringMatching(new RegExp(pattern)) : texts(schema);
  },
  array: ({ items = {}, minItems = 0, maxItems = 0, uniqueItems }) => {
    const length = { minLength: minItems, maxLength: Math.min(maxItems, 4) };
    return uniqueItems ? fc.uniqueArray(values(items), length) : fc.array(values(items), length);
  },
  object: (schema) => {
    const { properties = {}, required = [], oneOf, not } = schema;
    const records = fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, values(one)])),
      { requiredKeys: [...required] },
    );
    // Combinations of the properties are constrained apart.
    return oneOf || not ? records.filter(validatorOf({ ...schema })) : records;
  },
};

const byFormat: Readonly<Record<string, (schema: Keywords) => fc.Arbitrary<unknown>>> = {
  'date-time': () => moments,
  date: () => moments.map((moment) => moment.slice(0, 10)),
  'idn-email': () => emails,
  'recipient-address': () => recipientAddresses,
  recipient: () => recipients,
  recipients: ({ minLength = 0 }) =>
    fc.array(recipients, { minLength, maxLength: 4 }).map((list) => list.join(', ')),
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

/** Characters that decoding refuses alone, and that published patterns do not name. */
export const unsaid = new RegExp(`[${unseenOfOtherPlanes}]`, 'u');

/** Any code point but halves of pairs: fast-check's own `binary` makes a table of all of them first. */
export const character = fc.integer({ min: 0, max: 0x10f7ff }).map(
  (n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800),
  (text) => {
    const [only = '', ...more] = String(text);
    const code = only.codePointAt(0) ?? -1;
    if (more.length > 0) throw new Error('more than one');
    return code < 0xd800 ? code : code - 0x800;
  },
);

/** Any code points but U+0000, which no text of ours may hold. */
const texts = ({ minLength = 0, maxLength = 0, pattern }: Keywords): fc.Arbitrary<string> =>
  fc
    .string({ unit: character, minLength, maxLength })
    .map((text) => text.replaceAll('\u0000', '!'))
    .filter((text) => pattern === undefined || new RegExp(pattern, 'u').test(text))
    .filter((text) => !unsaid.test(text));

const recipientAddresses = emails.filter(isRecipient);

const names = fc.oneof(
  fc.constantFrom(
    '',
    'Ann',
    'Dr. Ann B. Lee',
    'Zoë 用',
    '"Lee, Ann (Ltd.) \\\\ \\""',
    '(of Lee, Ltd.) Ann',
  ),
  fc.stringMatching(/^[a-zA-Z0-9 é.!'-]{0,20}$/),
);

const recipients = fc
  .tuple(names, recipientAddresses, fc.constantFrom('', ' ', '\t(a (nested) note)'))
  .map(([name, address, tail]) => `${name === '' ? address : `${name} <${address}>`}${tail}`);

const base64 = fc
  .uint8Array({ maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
