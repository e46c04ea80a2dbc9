import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { decode } from '../fields/index.js';
import { isMounted, ownText, table } from '../index.js';
import { expectGolden } from '../testing/golden.js';
import { clientSource } from './client-source.js';
import { commandSource } from './command-source.js';
import { openApiDocument, settingsDocument } from './document.js';
import { exampleOf } from './examples.js';

const folder = new URL('../../examples/', import.meta.url);
const examples = table.filter(isMounted).flatMap((operation) => {
  const example = exampleOf(operation);
  return example ? [{ id: operation.id, operation, example }] : [];
});

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

interface Media {
  readonly schema: object;
  readonly example?: unknown;
}

/** Each example of a document and the place of its schema there. */
function* examplesIn(value: unknown, place = ''): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) return;
  if ('schema' in value && 'example' in value) yield [`${place}/schema`, (value as Media).example];
  for (const [name, one] of Object.entries(value))
    if (name !== 'example')
      yield* examplesIn(one, `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

describe('the examples', () => {
  it('are there for every operation that has a route', () => {
    const without = table.filter(isMounted).filter((operation) => !exampleOf(operation));
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('are of operations of the table', () => {
    const named = readdirSync(folder).flatMap((file) => {
      const family = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as object;
      return Object.keys(family).map((name) => `${file.replace('.json', '')}.${name}`);
    });
    expect(named.sort()).toEqual(examples.map(({ id }) => id).sort());
  });

  it.each(examples)('give what $id takes', ({ operation, example }) => {
    if (ownText(operation.request)) return;
    const { path, query, body } = operation.fields;
    const given = (fields: readonly { readonly name: string }[], text: boolean) =>
      Object.fromEntries(
        fields.flatMap(({ name }) => {
          const value = example.input[name];
          return value === undefined ? [] : [[name, text ? asText(value) : value]];
        }),
      );
    const decoded = decode(operation.input, {
      texts: given([...path, ...query], true),
      body: given(body, false),
    });
    expect(decoded).not.toHaveProperty('violations');
    expect(decoded).toMatchObject({ ignored: [] });
    const declared = [...path, ...query, ...body].map(({ name }) => name);
    expect(Object.keys(example.input).filter((name) => !declared.includes(name))).toEqual([]);
  });

  it.each([
    ['public', openApiDocument()],
    ['settings', settingsDocument()],
  ])('fit the schemas of the %s document', (_name, document) => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    ajv.addSchema(JSON.parse(JSON.stringify(document)) as object, 'document');
    const faults = [...examplesIn(document)].flatMap(([place, example]) => {
      const validate = ajv.compile({ $ref: `document#${encodeURI(place)}` });
      return validate(example) ? [] : [`${place}: ${ajv.errorsText(validate.errors)}`];
    });
    expect(faults).toEqual([]);
  });
});

describe('what is generated of the table', () => {
  it.each([
    ['libs/sdk', clientSource],
    ['apps/cli', commandSource],
  ])('is what %s has (UPDATE_GOLDENS=1 writes it)', (of, source) => {
    expectGolden('generated.ts', source(), new URL(`../../../../${of}/src/`, import.meta.url));
  });
});
