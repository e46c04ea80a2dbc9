import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { JsonSchema } from './fields/index.js';
import { openApiDocument } from './openapi/document.js';
import {
  brokenClients,
  type ApiDocument,
  type DescribedOperation,
} from './testing/operation-compatibility.js';

const folder = new URL('golden/released/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

/** The version that was released last; `npm run release` replaces both files. */
const [name = ''] = readdirSync(folder).filter((one) => one.startsWith('openapi-'));
const released = read(name) as ApiDocument;

/** Answers of that release against the contract, which are no promise to keep. */
const corrected = read('corrected.json');

describe('the public API', () => {
  it('breaks no client of the last release, but where that did not keep the contract', () => {
    const current = JSON.parse(JSON.stringify(openApiDocument())) as ApiDocument;
    expect(brokenClients(released, current)).toEqual(corrected);
  });

  it('of the last release is kept whole', () => {
    expect(Object.keys(released.paths).length).toBeGreaterThan(30);
    expect(brokenClients(released, released)).toEqual([]);
  });
});

const parcel: JsonSchema = {
  type: 'object',
  properties: {
    note: { type: 'string', maxLength: 100 },
    state: { type: 'string', enum: ['waiting', 'sent'] },
    weight: { type: ['integer', 'null'], minimum: 0 },
    choice: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  },
  required: ['note'],
};

const content = (schema: JsonSchema) => ({ 'application/json': { schema } });

const operation = (over: Partial<DescribedOperation> = {}): DescribedOperation => ({
  parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
  requestBody: { content: content(parcel) },
  responses: { 200: { content: content({ $ref: '#/components/schemas/Parcel' }) } },
  ...over,
});

const api = (one: DescribedOperation, answer: JsonSchema = parcel): ApiDocument => ({
  paths: { '/parcels': { post: one } },
  components: { schemas: { Parcel: answer } },
});

const fields = (over: Readonly<Record<string, JsonSchema | undefined>>): JsonSchema => ({
  ...parcel,
  properties: Object.fromEntries(
    Object.entries({ ...(parcel.properties as object), ...over }).filter(([, one]) => one),
  ),
});

const taking = (schema: JsonSchema) =>
  api(operation({ requestBody: { content: content(schema) } }));
const answering = (schema: JsonSchema) => api(operation(), schema);
const asking = (...parameters: NonNullable<DescribedOperation['parameters']>) =>
  api(operation({ parameters }));
const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } } as const;
const at = 'POST /parcels';

describe('an operation', () => {
  it.each<[string, ApiDocument]>([
    ['takes a new field', taking(fields({ colour: { type: 'string' } }))],
    ['takes longer texts', taking(fields({ note: { type: 'string', maxLength: 200 } }))],
    ['takes another word', taking(fields({ state: { enum: ['waiting', 'sent', 'lost'] } }))],
    ['requires less', taking({ ...parcel, required: [] })],
    ['answers a new field', answering(fields({ colour: { type: 'string' } }))],
    ['answers shorter texts', answering(fields({ note: { type: 'string', maxLength: 10 } }))],
    ['is never null any more', answering(fields({ weight: { type: 'integer', minimum: 0 } }))],
    ['takes a new parameter', asking(limit, { ...limit, name: 'after' })],
  ])('breaks nobody when it %s', (_what, current) => {
    expect(brokenClients(api(operation()), current)).toEqual([]);
  });

  it.each<[string, ApiDocument, string]>([
    ['is gone', { paths: {} }, `${at}: removed`],
    [
      'no longer takes a field',
      taking(fields({ weight: undefined })),
      `${at} body.weight: removed`,
    ],
    [
      'requires a field',
      taking({ ...parcel, required: ['note', 'state'] }),
      `${at} body.state: newly required`,
    ],
    [
      'takes shorter texts',
      taking(fields({ note: { type: 'string', maxLength: 10 } })),
      `${at} body.note: maxLength 100 is 10`,
    ],
    [
      'takes fewer words',
      taking(fields({ state: { type: 'string', enum: ['waiting'] } })),
      `${at} body.state: enum ["waiting","sent"] is ["waiting"]`,
    ],
    [
      'takes no null',
      taking(fields({ weight: { type: 'integer', minimum: 0 } })),
      `${at} body.weight: type ["integer","null"] is "integer"`,
    ],
    [
      'takes texts of one form',
      taking(fields({ note: { type: 'string', maxLength: 100, pattern: '^n' } })),
      `${at} body.note: pattern unsaid is "^n"`,
    ],
    [
      'takes fewer alternatives',
      taking(fields({ choice: { anyOf: [{ type: 'string' }] } })),
      `${at} body.choice: anyOf has fewer parts`,
    ],
    ['answers without a field', answering(fields({ note: undefined })), `${at} 200.note: removed`],
    [
      'answers a field not always',
      answering({ ...parcel, required: [] }),
      `${at} 200.note: no longer always there`,
    ],
    [
      'answers null',
      answering(fields({ note: { type: ['string', 'null'], maxLength: 100 } })),
      `${at} 200.note: type "string" is ["string","null"]`,
    ],
    [
      'answers another alternative',
      answering(fields({ choice: { anyOf: [{ type: 'string' }, {}, {}] } })),
      `${at} 200.choice: anyOf has more parts`,
    ],
    [
      'answers with another status',
      api(operation({ responses: { 201: {} } })),
      `${at} 200: removed`,
    ],
    ['loses a parameter', asking(), `${at} limit: removed`],
    ['requires a parameter', asking({ ...limit, required: true }), `${at} limit: newly required`],
  ])('breaks its clients when it %s', (_what, current, breach) => {
    expect(brokenClients(api(operation()), current)).toContain(breach);
  });
});
