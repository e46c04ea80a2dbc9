import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FileAnswer } from '../answers.js';
import { GivenMessage } from '../compose.js';
import { table } from '../table.js';
import { repetitions } from '../testing/repetitions.js';
import { character, unsaid, validatorOf, valuesOf } from '../testing/schema-values.js';
import { decode, fieldsOf, jsonSchema, type Dto } from './index.js';

/** Every input and answer of the table: all decorators, in all combinations that are in use. */
const dtos = [
  ...new Set([GivenMessage, ...table.flatMap((operation) => [operation.input, operation.output])]),
];
// A file is no JSON, and has no fields.
const cases = dtos.filter((dto) => dto !== FileAnswer).map((dto) => ({ name: dto.name, dto }));

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
  fc.string({ unit: character }),
  fc.jsonValue(),
  fc.constantFrom(-0, 0.5, -1, 101, 1e21, Number.MAX_SAFE_INTEGER, 2 ** 53, null, true, [], {}),
  fc.array(fc.constant('read:tasks'), { maxLength: 12 }),
);

/** A value that the schema allows, spoilt (or not) at one place. */
const nearlyRight = (dto: Dto) =>
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

/** Runs of three properties for each class. */
const runs = (times = 1) => ({ numRuns: times * repetitions(100, 10) });

describe.each(cases)('$name', ({ dto }) => {
  const allows = validatorOf(closedSchema(dto));

  it('decodes everything that its schema allows, and what it decoded to the same again', () => {
    fc.assert(
      fc.property(valuesOf(closedSchema(dto)), (body) => {
        const { input, violations } = decode(dto, { body });
        const again = input && decode(dto, { body: asJson(input) }).input;
        // One comparison for all: an `expect` takes longer than what it compares.
        expect([allows(body), violations, again]).toEqual([true, undefined, input]);
      }),
      runs(),
    );
  });

  it('refuses or mends exactly what its schema refuses or PostgreSQL cannot keep', () => {
    fc.assert(
      fc.property(nearlyRight(dto), ({ value, path, by }) => {
        const { input, violations } = decode(dto, { body: value });
        const isAllowed = allows(value);
        if (violations && !unsaid.test(JSON.stringify(value)))
          expect(isAllowed && storable(value)).toBe(false);
        if (!input) return;
        if (!isAllowed) expect(at(input, path)).not.toEqual(by);
        const names = fieldsOf(dto).flatMap(({ name }) =>
          Object.hasOwn(input, name) ? [name] : [],
        );
        const found = [allows(asJson(input)), storable(input), Object.keys(input)];
        expect(found).toEqual([true, true, names]);
      }),
      runs(2),
    );
  });

  it('never throws', () => {
    const anything = fc.anything({ withNullPrototype: true, withDate: true, withMap: true });
    const texts = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string())));
    fc.assert(
      fc.property(
        anything,
        texts,
        fc.constantFrom('refuse', 'ignore'),
        (body, query, unknownFields) => {
          const { input, violations } = decode(dto, { texts: query, body, unknownFields });
          const found = [input === undefined, (violations?.length ?? 1) > 0];
          expect(found).toEqual([violations !== undefined, true]);
        },
      ),
      runs(),
    );
  });
});
