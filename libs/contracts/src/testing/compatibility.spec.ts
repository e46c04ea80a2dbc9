import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonSchema } from '../fields/index.js';
import { breaches, expectPublished } from './compatibility.js';

/** A published schema with every kind of thing in it. */
const published: JsonSchema = {
  type: 'object',
  description: 'A parcel.',
  properties: {
    id: { type: 'string', maxLength: 30, description: 'The parcel.' },
    note: { type: ['string', 'null'], maxLength: 100 },
    state: { type: 'string', enum: ['waiting', 'sent'] },
    weight: { type: 'integer', minimum: 0, maximum: 1000 },
    stops: {
      type: 'array',
      maxItems: 10,
      items: {
        type: 'object',
        properties: { town: { type: 'string', maxLength: 80 } },
        required: ['town'],
      },
    },
    sender: {
      anyOf: [{ type: 'object', properties: { name: { type: 'string' } } }, { type: 'null' }],
    },
  },
  required: ['id', 'note', 'state', 'weight', 'stops'],
};

interface Change {
  /** Fields said otherwise, by name; undefined removes one. */
  readonly fields?: Readonly<Record<string, JsonSchema | undefined>>;
  readonly required?: readonly string[];
  readonly rest?: JsonSchema;
}

const fieldsOf = published.properties as Readonly<Record<string, JsonSchema>>;

function changed({ fields = {}, required, rest = {} }: Change): JsonSchema {
  const properties = Object.entries({ ...fieldsOf, ...fields }).filter(([, schema]) => schema);
  return {
    ...published,
    properties: Object.fromEntries(properties),
    ...(required && { required }),
    ...rest,
  };
}

const required = published.required as readonly string[];

describe('a published schema', () => {
  it('is kept by itself', () => {
    expect(breaches(published, published)).toEqual([]);
  });

  it.each<[string, Change]>([
    ['gains a field that need not be there', { fields: { colour: { type: 'string' } } }],
    ['says the same in other words', { rest: { description: 'What is sent.' } }],
    ['describes a field better', { fields: { id: { ...fieldsOf.id, description: 'Its id.' } } }],
  ])('may grow: it %s', (_what, change) => {
    expect(breaches(published, changed(change))).toEqual([]);
  });

  it.each<[string, Change, string]>([
    ['loses a field', { fields: { weight: undefined } }, 'event.weight: removed'],
    [
      'loses a field deep inside',
      { fields: { stops: { ...fieldsOf.stops, items: { type: 'object', required: ['town'] } } } },
      'event.stops[].town: removed',
    ],
    [
      'loses a field of what may be null',
      { fields: { sender: { anyOf: [{ type: 'object' }, { type: 'null' }] } } },
      'event.sender[].name: removed',
    ],
    [
      'is never null any more',
      { fields: { note: { type: 'string', maxLength: 100 } } },
      'event.note: type ["string","null"] is "string"',
    ],
    [
      'may be null now',
      { fields: { weight: { ...fieldsOf.weight, type: ['integer', 'null'] } } },
      'event.weight: type "integer" is ["integer","null"]',
    ],
    [
      'is of another type',
      { fields: { id: { type: 'integer', maxLength: 30 } } },
      'event.id: type "string" is "integer"',
    ],
    [
      'loses a word',
      { fields: { state: { type: 'string', enum: ['waiting'] } } },
      'event.state: enum ["waiting","sent"] is ["waiting"]',
    ],
    [
      'gains a word',
      { fields: { state: { type: 'string', enum: ['waiting', 'sent', 'lost'] } } },
      'event.state: enum ["waiting","sent"] is ["waiting","sent","lost"]',
    ],
    [
      'has shorter texts',
      { fields: { id: { type: 'string', maxLength: 20 } } },
      'event.id: maxLength 30 is 20',
    ],
    [
      'has texts of one form only',
      { fields: { id: { ...fieldsOf.id, pattern: '^p' } } },
      'event.id: pattern unsaid is "^p"',
    ],
    [
      'has no bounds any more',
      { fields: { id: { type: 'string' } } },
      'event.id: maxLength 30 is unsaid',
    ],
    [
      'requires a new field',
      { fields: { colour: { type: 'string' } }, required: [...required, 'colour'] },
      'event.colour: newly required',
    ],
    [
      'requires a field that need not have been there',
      { required: [...required, 'sender'] },
      'event.sender: newly required',
    ],
    [
      'no longer promises a field',
      { required: required.filter((name) => name !== 'note') },
      'event.note: no longer always there',
    ],
    [
      'allows no further fields any more',
      { rest: { additionalProperties: false } },
      'event: additionalProperties unsaid is false',
    ],
    [
      'offers another choice',
      {
        fields: {
          sender: { anyOf: [...((fieldsOf.sender?.anyOf ?? []) as []), { type: 'string' }] },
        },
      },
      'event.sender: 2 parts are 3',
    ],
  ])('is broken by one that %s', (_what, change, breach) => {
    expect(breaches(published, changed(change))).toEqual([breach]);
  });
});

describe('a golden file of a published schema', () => {
  const folder = pathToFileURL(`${mkdtempSync(join(tmpdir(), 'postroom-published-'))}/`);
  const file = 'parcel.v1.json';
  const kept = (): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  const expectKept = (schema: JsonSchema): void => {
    expectPublished(file, schema, folder);
  };
  const wasSet = process.env.UPDATE_GOLDENS;
  const update = (asked: string | undefined): void => {
    if (asked === undefined) delete process.env.UPDATE_GOLDENS;
    else process.env.UPDATE_GOLDENS = asked;
  };
  afterEach(() => {
    update(wasSet);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('is written once, and gains what need not be there when that is asked for', () => {
    const grown = changed({ fields: { colour: { type: 'string' } } });
    update('1');
    expectKept(published);
    expect(kept()).toEqual(published);
    update(undefined);
    expect(() => {
      expectKept(grown);
    }).toThrow('colour');
    update('1');
    expectKept(grown);
    expect(kept()).toEqual(grown);
  });

  it('is not overwritten by what breaks it, which is told to be another version', () => {
    update('1');
    const before = kept();
    expect(() => {
      expectKept(changed({ fields: { weight: undefined } }));
    }).toThrow(/Add a version beside it[^]+event\.weight: removed/);
    expect(kept()).toEqual(before);
  });
});
