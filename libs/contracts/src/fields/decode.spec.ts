import { describe, expect, it } from '@jest/globals';
import { Count, decode, instantiate, ListOf, Part, Text } from './index.js';

class Grant {
  @Text('The mailbox.', { max: 10 })
  address!: string;
}

class Owner {
  @ListOf(() => Grant, 'Grants.', { max: 3 })
  grants!: Grant[];
}

class UpdateKey {
  @Text('The key.', { max: 10 })
  id!: string;

  @Text('Name.', { max: 10, optional: true })
  name?: string;

  @Part(() => Owner, 'The owner.', { optional: true })
  owner?: Owner;

  @Count('How many.', { max: 9, optional: true })
  count?: number;
}

const faults = (body: unknown, unknownFields?: 'refuse' | 'ignore'): readonly string[] =>
  (
    decode(UpdateKey, { texts: { id: 'key' }, body, ...(unknownFields && { unknownFields }) })
      .violations ?? []
  ).map(({ field, message }) => `${field}: ${message.en}`);

describe('decode', () => {
  it('makes an instance of the class', () => {
    const { input } = decode(UpdateKey, { texts: { id: 'key' }, body: { name: 'n', count: 3 } });
    expect(input).toBeInstanceOf(UpdateKey);
    expect(input).toEqual({ id: 'key', name: 'n', count: 3 });
  });

  it.each([[null], [[]], ['text'], [1], [true], [[{ id: 'x' }]]])(
    'refuses the body %j as a whole',
    (body) => {
      expect(faults(body)).toEqual([': expected a JSON object']);
    },
  );

  it('takes no body for an empty one', () => {
    expect(decode(UpdateKey, { texts: { id: 'key' } }).input).toEqual({ id: 'key' });
  });

  it('says in both languages what was expected', () => {
    const { violations } = decode(UpdateKey, { texts: { id: 'key', count: 'ten' } });
    expect(violations).toEqual([
      {
        field: 'count',
        fault: 'NOT_A_NUMBER',
        message: {
          fr: 'nombre entier de 0 à 9 attendu',
          en: 'expected a whole number from 0 to 9',
        },
      },
    ]);
  });

  it('names nested fields by their path', () => {
    expect(faults({ owner: { grants: [{ address: 'ok' }, { address: 1 }, {}] } })).toEqual([
      'owner.grants.1.address: expected a text of at most 10 characters',
      'owner.grants.2.address: expected a text of at most 10 characters',
    ]);
    expect(faults({ owner: { grants: [1] } })).toEqual([
      'owner.grants: expected a list of at most 3 objects',
    ]);
    expect(faults({ owner: [] })).toEqual(['owner: expected an object']);
  });

  it('refuses unknown fields at any depth, or ignores them all', () => {
    const body = { extra: 1, owner: { more: 2, grants: [{ address: 'a', access: 'read' }] } };
    expect(faults(body)).toEqual([
      'owner.more: unknown field',
      'owner.grants.0.access: unknown field',
      'extra: unknown field',
    ]);
    expect(faults(body, 'ignore')).toEqual([]);
    const options = { texts: { id: 'key' }, body, unknownFields: 'ignore' } as const;
    expect(decode(UpdateKey, options).input).toEqual({
      id: 'key',
      owner: { grants: [{ address: 'a' }] },
    });
  });

  it('lets no body give again what the path gave', () => {
    expect(faults({ id: 'other' })).toEqual(['id: unknown field']);
    const ignoring = {
      texts: { id: 'key' },
      body: { id: 'other' },
      unknownFields: 'ignore',
    } as const;
    expect(decode(UpdateKey, ignoring).input?.id).toBe('key');
  });

  it('refuses a parameter given twice, known or not', () => {
    const { violations } = decode(UpdateKey, { texts: { id: ['a', 'b'], other: ['c', 'd'] } });
    expect(violations?.map((one) => one.field)).toEqual(['id', 'other']);
  });

  it('gives at most 20 faults, with names cut short', () => {
    const body = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${i}`.repeat(300), 1]));
    const { violations } = decode(UpdateKey, { texts: { id: 'key' }, body });
    expect(violations).toHaveLength(20);
    expect(Math.max(...(violations ?? []).map((one) => one.field.length))).toBeLessThanOrEqual(200);
  });

  it('looks at nothing of a list that is too long', () => {
    const grants = Array.from({ length: 100_000 }, () => ({ nonsense: 1 }));
    expect(faults({ owner: { grants } })).toEqual([
      'owner.grants: expected a list of at most 3 objects',
    ]);
  });
});

describe('decode of hostile objects', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'refuses an own property %s, and ignores it where it may be',
    (name) => {
      const body: unknown = JSON.parse(`{ "${name}": { "name": "x", "polluted": true } }`);
      expect(faults(body)).toEqual([`${name}: unknown field`]);
      const options = { texts: { id: 'key' }, body, unknownFields: 'ignore' } as const;
      const { input } = decode(UpdateKey, options);
      expect(Object.keys(input ?? {})).toEqual(['id']);
      expect(Object.getPrototypeOf(input)).toBe(UpdateKey.prototype);
      expect({}).not.toHaveProperty('polluted');
    },
  );

  it('takes no value from a prototype', () => {
    const body: unknown = Object.create({ name: 'inherited' });
    expect(decode(UpdateKey, { texts: { id: 'key' }, body }).input).not.toHaveProperty('name');
    const texts = Object.create({ id: 'inherited' }) as Record<string, unknown>;
    expect(decode(UpdateKey, { texts }).violations?.map((one) => one.field)).toEqual(['id']);
  });

  it('reads objects without a prototype, as query parsers make them', () => {
    const texts = Object.assign(Object.create(null) as Record<string, unknown>, { id: 'key' });
    expect(decode(UpdateKey, { texts }).input).toEqual({ id: 'key' });
  });
});

describe('instantiate', () => {
  it('rebuilds what was decoded from its JSON, nested instances too', () => {
    const body = { name: 'n', owner: { grants: [{ address: 'a' }] } };
    const { input } = decode(UpdateKey, { texts: { id: 'key' }, body });
    const rebuilt = instantiate(UpdateKey, JSON.parse(JSON.stringify(input)));
    expect(rebuilt).toEqual(input);
    expect(rebuilt.owner?.grants[0]).toBeInstanceOf(Grant);
  });
});
