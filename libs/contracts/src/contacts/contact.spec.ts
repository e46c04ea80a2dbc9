import { describe, expect, it } from '@jest/globals';
import { codedRefusal } from '../coded-refusal.js';
import { decode, type Violation } from '../fields/index.js';
import { unknownId } from '../ids.js';
import type { Operation } from '../operation.js';
import { Problem } from '../problems.js';
import { contacts } from './operations.js';

const bookId = unknownId('abk');

/** The code that the gateway answers for the body of an operation; null where it is sound. */
function codeOf(operation: Operation, body: object, texts = {}): string | null {
  const { input, violations } = decode(operation.input, {
    ...{ body, texts, unknownFields: operation.unknownFields },
  });
  const faults: readonly Violation[] = violations ?? operation.rule?.(input) ?? [];
  if (faults.length === 0) return null;
  return (
    codedRefusal(operation, new Problem('INVALID_REQUEST', { violations: faults }))?.error ?? ''
  );
}
const created = (contact: object) => codeOf(contacts.create, { bookId, ...contact });
const listed = (texts: object) => codeOf(contacts.list, {}, texts);
const points = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ value: `c${i}@x.fr` }));
const numbers = (count: number) => points(count).map((_, i) => ({ value: `+33 1 00 00 00 ${i}` }));
const read = (contact: object) => {
  const { input } = decode(contacts.create.input, { body: { bookId, ...contact } });
  if (!input) throw new Error('refused');
  return input;
};

describe('the content of a contact', () => {
  it.each([
    ['displayName', 120],
    ['givenName', 80],
    ['familyName', 80],
    ['organization', 120],
    ['jobTitle', 120],
    ['notes', 2000],
  ])('has a %s of at most %d code points', (name, max) => {
    const base = { emails: points(1) };
    expect(created({ ...base, [name]: '😀'.repeat(max) })).toBeNull();
    expect(created({ ...base, [name]: '😀'.repeat(max + 1) })).toBe('VALIDATION_FAILED');
    for (const wrong of [5, true, {}, ['x'], 'a\u0000b'])
      expect(created({ ...base, [name]: wrong })).toBe('VALIDATION_FAILED');
    expect(created({ ...base, [name]: null })).toBeNull();
  });

  it('has at most 10 addresses, 10 phones, 20 groups of 60 characters', () => {
    const base = { displayName: 'A' };
    expect(created({ ...base, emails: points(10), phones: numbers(10) })).toBeNull();
    expect(created({ ...base, emails: points(11) })).toBe('VALIDATION_FAILED');
    expect(created({ ...base, phones: numbers(11) })).toBe('VALIDATION_FAILED');
    const groups = Array.from({ length: 21 }, (_, i) => `g${i}`);
    expect(created({ ...base, groups: groups.slice(1) })).toBeNull();
    expect(created({ ...base, groups })).toBe('VALIDATION_FAILED');
    expect(created({ ...base, groups: Array(21).fill('VIP') })).toBeNull();
    expect(created({ ...base, groups: ['é'.repeat(60)] })).toBeNull();
    expect(created({ ...base, groups: ['é'.repeat(61)] })).toBe('VALIDATION_FAILED');
    for (const wrong of [5, 'x', {}, true]) {
      for (const name of ['emails', 'phones', 'groups'])
        expect(created({ ...base, [name]: wrong })).toBe('VALIDATION_FAILED');
    }
    expect(created({ ...base, groups: [5] })).toBe('VALIDATION_FAILED');
  });

  it('refuses entries that are no objects, phones of over 60 characters and types of over 40', () => {
    const base = { displayName: 'A' };
    for (const wrong of [null, 'a@b.fr', '+33 1 23', 5, []]) {
      expect(created({ ...base, emails: [...points(1), wrong] })).toBe('VALIDATION_FAILED');
      expect(created({ ...base, phones: [wrong] })).toBe('VALIDATION_FAILED');
    }
    for (const [length, code] of [
      [0, null],
      [1, 'VALIDATION_FAILED'],
    ] as const) {
      expect(created({ ...base, phones: [{ value: '1'.repeat(60 + length) }] })).toBe(code);
      const type = '😀'.repeat(40 + length);
      expect(created({ ...base, phones: [{ value: '+33 1', type }] })).toBe(code);
      expect(created({ ...base, emails: [{ value: 'a@b.fr', type }] })).toBe(code);
    }
    const { violations } = decode(contacts.create.input, {
      body: { bookId, phones: [{ value: '+33 1' }, '+33 2'] },
    });
    expect(violations).toMatchObject([{ field: 'phones.1' }]);
  });

  it('has 5 addresses and web pages, and a birthday that is a day', () => {
    const refused = (contact: object) => created({ displayName: 'A', ...contact });
    const list = (count: number, of: (i: number) => object) =>
      Array.from({ length: count }, (_, i) => of(i));
    const [streets, pages] = [
      (count: number) => ({ addresses: list(count, (i) => ({ street: `${i} A` })) }),
      (count: number) => ({ urls: list(count, (i) => ({ value: `https://a.example/${i}` })) }),
    ];
    const long = '😀'.repeat(200);
    for (const sound of [
      ...[streets(5), pages(5), { addresses: [{ street: long, city: 'a', type: null }] }],
      ...[{ addresses: null, birthday: null, urls: null }, { addresses: [{ street: 'a\nb' }] }],
      ...[{ birthday: '2004-02-29' }, { birthday: '--02-29' }],
    ])
      expect(refused(sound)).toBeNull();
    for (const wrong of [
      ...[streets(6), pages(6), { addresses: [{ street: `${long}x` }] }, { addresses: ['x'] }],
      ...[{ addresses: [{ city: 'a\nb' }] }, { addresses: [{ city: 5 }] }, { addresses: 'x' }],
      ...[{ addresses: [{ street: 'a', type: 'x'.repeat(41) }] }, { urls: ['https://a.example'] }],
      ...[{ urls: [{ value: `https://a.example/${'x'.repeat(2000)}` }] }, { urls: {} }],
      ...['2005-02-29', '--02-30', '--2-1', '1990-1-31', '', 5, '0000-01-01'].map((birthday) => ({
        birthday,
      })),
    ])
      expect(refused(wrong)).toBe('VALIDATION_FAILED');
    const { violations } = decode(contacts.create.input, {
      body: { bookId, addresses: [{}, { postalCode: 5 }] },
    });
    expect(violations).toMatchObject([{ field: 'addresses.1.postalCode', fault: 'WRONG_TYPE' }]);
    const urls = [
      'www.a.example/x',
      'https://a.example',
      'https://a.example/',
      'javascript:x',
      'a b',
      'none',
    ];
    expect(
      read({
        addresses: [{ city: ' Town ', other: 1 }, { city: 'TOWN' }, { type: 'home' }, {}],
        urls: urls.map((value) => ({ value })),
      }),
    ).toMatchObject({
      addresses: [
        { street: null, city: 'Town', region: null, postalCode: null, country: null, type: null },
      ],
      urls: [
        { value: 'https://www.a.example/x', type: null },
        { value: 'https://a.example', type: null },
      ],
    });
  });

  it('leaves out entries that have no valid value, and repetitions', () => {
    const kept = [
      { value: 'Ann@lee.example', type: 'work' },
      { value: 'ann@bücher.example', type: null },
      { value: 'jоhn@lee.example', type: null },
    ];
    const dropped = [
      ...[{}, { value: 5 }, { value: '' }, { value: 'no' }, { value: 'a@b c' }],
      ...[{ value: `${'x'.repeat(65)}@b.fr` }, { value: `a@${'x'.repeat(300)}.fr` }],
      ...[{ value: 'ANN@LEE.EXAMPLE' }, { value: 'ann@xn--bcher-kva.example' }],
    ];
    const given = [
      { value: ' Ann@LEE.example ', type: 'work', id: 'ctc_x' },
      { value: 'ann@BÜCHER.example', type: 5 },
      { value: 'jоhn@lee.example' },
    ];
    const phones = [{ value: ' +33 1 ' }, { value: '+33-1', type: 'x' }, { value: 'none' }];
    expect(read({ emails: [...given, ...dropped], phones })).toMatchObject({
      emails: kept,
      phones: [{ value: '+33 1', type: null }],
    });
  });

  it('is a name, an address or an organization at least', () => {
    for (const empty of [{}, { displayName: ' ' }, { phones: numbers(1) }, { emails: [{}] }]) {
      expect(created({ ...empty, notes: 'x' })).toBe('EMPTY_CONTACT');
      expect(created({ contact: empty })).toBe('EMPTY_CONTACT');
    }
    expect(created({ displayName: '\u200b' })).toBe('EMPTY_CONTACT');
    expect(read({ displayName: 'A', groups: ['\u2060', 'VIP'] }).groups).toEqual(['VIP']);
    for (const given of [{ givenName: 'A' }, { familyName: 'A' }, { organization: 'A' }])
      expect(created(given)).toBeNull();
    for (const displayName of ['\u0301', 'שלום', '😀', '\u202eabc'])
      expect(created({ displayName })).toBeNull();
  });

  it('stands at the root or in `contact`, with its book', () => {
    const displayName = 'A';
    expect(codeOf(contacts.create, { contact: { displayName, bookId } })).toBeNull();
    expect(codeOf(contacts.create, { bookId, contact: { displayName } })).toBeNull();
    expect(codeOf(contacts.create, { contact: { displayName } })).toBe('INVALID_ARGUMENT');
    expect(codeOf(contacts.create, { displayName })).toBe('INVALID_ARGUMENT');
    for (const wrong of [5, null, [], {}])
      expect(codeOf(contacts.create, { displayName, bookId: wrong })).toBe('INVALID_ARGUMENT');
    for (const wrong of [5, 'x', null, []])
      expect(codeOf(contacts.create, { bookId, contact: wrong })).toBe('INVALID_ARGUMENT');
  });

  it('of several faults tells the first of the family’s table', () => {
    expect(codeOf(contacts.create, {})).toBe('EMPTY_CONTACT');
    expect(codeOf(contacts.create, { bookId: 5, displayName: 5 })).toBe('VALIDATION_FAILED');
    expect(codeOf(contacts.create, { notes: 5 })).toBe('VALIDATION_FAILED');
  });

  it('takes nothing that a client may not say', () => {
    const stranger = {
      id: 'ctc_x',
      author: {},
      mergedFrom: [],
      mergeLog: [],
      tenant: 't',
      version: 9,
    };
    const body = { displayName: 'A', ...stranger, contact: { displayName: 'B', ...stranger } };
    const options = { body: { bookId, ...body }, unknownFields: 'ignore' } as const;
    expect(decode(contacts.create.input, options).input).toEqual({
      ...{ bookId, displayName: 'A', contact: { displayName: 'B' } },
    });
    const change = { texts: { id: unknownId('ctc') }, body: { ...options.body, bookId: 5 } };
    const { input } = decode(contacts.update.input, { ...change, unknownFields: 'ignore' });
    expect(input).not.toHaveProperty('bookId');
  });
});

describe('the list of contacts', () => {
  it('refuses what it cannot use', () => {
    expect(listed({ sort: 'updated', q: 'x'.repeat(500), group: 'x'.repeat(60) })).toBeNull();
    expect(listed({ sort: 'size' })).toBe('INVALID_ARGUMENT');
    expect(listed({ other: 'x' })).toBe(null);
    expect(listed({ q: 'x'.repeat(501) })).toBe('VALIDATION_FAILED');
    expect(listed({ group: 'x'.repeat(61) })).toBe('VALIDATION_FAILED');
    expect(listed({ q: ['a', 'b'] })).toBe('INVALID_ARGUMENT');
    expect(listed({ q: 'a\u0000' })).toBe('INVALID_ARGUMENT');
  });
});
