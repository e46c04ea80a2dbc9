import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FileAnswer } from '../answers.js';
import { GivenMessage } from '../compose.js';
import { table } from '../table.js';
import { repetitions } from '../testing/repetitions.js';
import { validatorOf, valuesOf } from '../testing/schema-values.js';
import {
  Access,
  Addresses,
  AttachedFiles,
  BookAccess,
  Count,
  Day,
  decode,
  Email,
  EmailOr,
  EmailOrNone,
  EmailPoints,
  fieldsOf,
  Flag,
  Groups,
  HeaderText,
  Id,
  Ids,
  Instant,
  Integers,
  JsonObject,
  jsonSchema,
  Label,
  Labels,
  ListOf,
  MailboxName,
  MemberEmail,
  Millis,
  MillisList,
  OneOf,
  OneOfOr,
  Part,
  PhonePoints,
  Share,
  SomeOf,
  TeamId,
  Text,
  Texts,
  Version,
  WebLink,
  type Dto,
} from './index.js';

/** A class with one field, which a decorator declares. */
function dtoOf(decorator: unknown): Dto {
  class One {}
  (decorator as (prototype: object, name: string) => void)(One.prototype, 'value');
  return One;
}

class Inner {
  @Text('A name.', { max: 5, filled: true })
  name!: string;

  @Count('A number.', { min: 1, max: 9, optional: true })
  count?: number;
}

const about = 'What it is.';
const words = ['red', 'green'] as const;
const maybe = { optional: true, nullable: true } as const;

/** Every decorator of a value in a body, with the options that change what it takes. */
const decorators: readonly (readonly [string, unknown])[] = [
  ['Access', Access('cnv', about)],
  ['Addresses', Addresses(about)],
  ['Addresses, filled', Addresses(about, { filled: true })],
  ['AttachedFiles', AttachedFiles(about)],
  ['BookAccess', BookAccess(about)],
  ['Count', Count(about, { min: -2, max: 7 })],
  ['Day', Day(about)],
  ['Email', Email(about)],
  ['EmailOr', EmailOr('none', about)],
  ['EmailOrNone', EmailOrNone(about, { nullable: true })],
  ['EmailPoints', EmailPoints(about, { max: 3 })],
  ['Flag', Flag(about)],
  ['Groups', Groups(about, { max: 3, each: 8 })],
  ['HeaderText', HeaderText(about, { max: 200 })],
  ['HeaderText, filled', HeaderText(about, { max: 200, filled: true })],
  ['Id', Id('cnv', about)],
  ['Id, stored', Id('cnv', about, { stored: true })],
  ['Ids', Ids('cnv', about, { max: 3 })],
  ['Instant', Instant(about)],
  ['Integers', Integers(about, { from: 1, to: 12, max: 4 })],
  ['JsonObject', JsonObject(about)],
  ['Label', Label(about)],
  ['Labels', Labels(about, { max: 3 })],
  ['ListOf', ListOf(() => Inner, about, { max: 3 })],
  ['MailboxName', MailboxName(about)],
  ['MemberEmail', MemberEmail(about)],
  ['Millis', Millis(about)],
  ['MillisList', MillisList(about, { max: 3 })],
  ['OneOf', OneOf(words, about)],
  ['OneOfOr', OneOfOr(words, 'red', about)],
  ['Part', Part(() => Inner, about)],
  ['PhonePoints', PhonePoints(about, { max: 3 })],
  ['Share', Share(about)],
  ['SomeOf', SomeOf(words, about)],
  ['TeamId', TeamId(about)],
  ['Text', Text(about, { max: 5 })],
  ['Text, filled', Text(about, { max: 5, filled: true })],
  ['Text, optional and nullable', Text(about, { max: 5, ...maybe })],
  ['Text, with a default', Text(about, { max: 5, default: 'none' })],
  ['Texts', Texts(about, { max: 3, each: 5 })],
  ['Version', Version()],
  ['WebLink', WebLink(about)],
];

/** Every input and answer of the table: all decorators, in all combinations that are in use. */
const dtosOfTable = [
  ...new Set([GivenMessage, ...table.flatMap((operation) => [operation.input, operation.output])]),
  // A file is no JSON, and has no fields.
].filter((dto) => dto !== FileAnswer);

const closedSchema = (dto: Dto) => jsonSchema(dto, { closed: true });

type Path = readonly (string | number)[];

/** The place of every value within a value. */
function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  yield path;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* pathsIn(item, [...path, i]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) yield* pathsIn(item, [...path, name]);
  }
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, name) => (inner as Record<string, unknown> | undefined)?.[name],
    value,
  );

/** A copy in which another value stands at one place. */
function replaced(value: unknown, [name, ...rest]: Path, by: unknown): unknown {
  if (name === undefined) return by;
  const copy: object = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const inner = replaced((value as Record<string, unknown>)[name], rest, by);
  // Defined, not assigned: `__proto__` must become a property like any other.
  Object.defineProperty(copy, name, {
    value: inner,
    enumerable: true,
    writable: true,
    configurable: true,
  });
  return copy;
}

const trickyNames = fc.constantFrom('__proto__', 'constructor', 'toString', 'extra', '0', '');
const trickyTexts = fc.constantFrom(
  ...['', ' ', '\u0000', '\ud800', 'a@b.fr', 'A@B.FR', '2026-03-01T10:00Z', '2026-02-30T10:00:00Z'],
  ...['true', '1', 'null', 'workspace', 'İ@b.fr', 'x'.repeat(20_000), '😀'.repeat(128)],
);
const trickyValues = fc.oneof(
  trickyTexts,
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
  fc.constantFrom(-0, 0.5, -1, 101, 1e21, Number.MAX_SAFE_INTEGER, 2 ** 53, null, true, [], {}),
  fc.array(fc.constant('read:tasks'), { maxLength: 12 }),
);

interface NearlyRight {
  readonly value: unknown;
  readonly path: Path;
  readonly by: unknown;
}

/** A value that the schema allows, spoilt (or not) at one place. */
const nearlyRight = (dto: Dto): fc.Arbitrary<NearlyRight> =>
  valuesOf(closedSchema(dto)).chain((value) => {
    const places = [...pathsIn(value)];
    const place = fc.constantFrom(...places);
    const newPlace = fc.tuple(
      fc.constantFrom(...places.filter((path) => isPlainObject(at(value, path)))),
      trickyNames,
    );
    return fc
      .tuple(
        fc.oneof(
          place,
          newPlace.map(([path, name]) => [...path, name]),
        ),
        trickyValues,
      )
      .map(([path, by]) => ({ value: replaced(value, path, by), path, by }));
  });

const isPlainObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const storable = (value: unknown): boolean => {
  const text = JSON.stringify(value);
  // JSON.stringify escapes exactly what PostgreSQL cannot keep.
  return !/(^|[^\\])(\\\\)*\\u(0000|d[89a-f])/.test(text);
};

/** Once for each class, since a schema takes milliseconds to compile. */
const validators = new Map<Dto, (value: unknown) => boolean>();
function validator(dto: Dto): (value: unknown) => boolean {
  const known = validators.get(dto) ?? validatorOf(closedSchema(dto));
  validators.set(dto, known);
  return known;
}

/** Decodes what the schema allows, and to the same when it is decoded again. */
function takesWhatItAllows(dto: Dto, body: unknown): void {
  expect(validator(dto)(body)).toBe(true);
  const { input, violations } = decode(dto, { body });
  expect(violations).toBeUndefined();
  expect(decode(dto, { body: asJson(input) }).input).toEqual(input);
}

/**
 * Refuses what the schema refuses, or mends it, and nothing but that and what PostgreSQL cannot keep;
 * decodes to no more than the schema allows.
 */
function refusesTheRest(dto: Dto, { value, path, by }: NearlyRight): void {
  const allows = validator(dto);
  const { input, violations } = decode(dto, { body: value });
  if (violations) expect(allows(value) && storable(value)).toBe(false);
  if (!input) return;
  if (!allows(value)) expect(at(input, path)).not.toEqual(by);
  expect(allows(asJson(input))).toBe(true);
  expect(storable(input)).toBe(true);
  expect(Object.keys(input)).toEqual(
    fieldsOf(dto).flatMap(({ name }) => (Object.hasOwn(input, name) ? [name] : [])),
  );
}

const anything = fc.anything({ withNullPrototype: true, withDate: true, withMap: true });
const queries = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string())));

function neverThrows(dto: Dto, body: unknown, query: Record<string, string | string[]>): void {
  for (const unknownFields of ['refuse', 'ignore'] as const) {
    const { input, violations } = decode(dto, { texts: query, body, unknownFields });
    expect(input === undefined).toBe(violations !== undefined);
    expect(violations?.length ?? 1).toBeGreaterThan(0);
  }
}

/** A class with values that its schema allows, one that is nearly right, and anything else. */
const samples = (dto: Dto) =>
  fc.tuple(valuesOf(closedSchema(dto)), nearlyRight(dto), anything, queries);

it.each(decorators)('%s decodes what its schema allows, and nothing else', (_name, decorator) => {
  const dto = dtoOf(decorator);
  fc.assert(
    fc.property(samples(dto), ([right, nearly, other, query]) => {
      takesWhatItAllows(dto, right);
      refusesTheRest(dto, nearly);
      neverThrows(dto, other, query);
    }),
    { numRuns: repetitions(1_000, 60) },
  );
});

it('and so do the inputs and answers of the table', () => {
  const cases = fc
    .constantFrom(...dtosOfTable)
    .chain((dto) => samples(dto).map((values) => ({ dto, values })));
  fc.assert(
    fc.property(cases, ({ dto, values: [right, nearly, other, query] }) => {
      takesWhatItAllows(dto, right);
      refusesTheRest(dto, nearly);
      neverThrows(dto, other, query);
    }),
    { numRuns: repetitions(10_000, 150) },
  );
});
