import { describe, expect, it } from '@jest/globals';
import { CommentOnConversation, conversations, instantiate, newId } from '@postroom/contracts';
import fc from 'fast-check';
import { canonicalJson, fingerprint } from './canonical-json.js';

/** Values of JSON as a decoder gives them; JSON has one zero, so that -0 is no value of its own. */
const values = fc
  .jsonValue({ depthSize: 'medium' })
  .map((value) => fromText(JSON.stringify(value)));
const fromText = (text: string): unknown =>
  JSON.parse(text.replaceAll(/(?<![\d.e])-0(?![\d.e])/g, '0'));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown, order: (keys: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, order));
  if (!isObject(value)) return value;
  const entries = order(Object.keys(value)).map(
    (key) => [key, shuffled(value[key], order)] as const,
  );
  return Object.fromEntries(entries);
}

describe('canonical JSON', () => {
  it('is one text for a value, in whatever order its keys were given', () => {
    fc.assert(
      fc.property(values, fc.infiniteStream(fc.nat()), (value, random) => {
        const order = (keys: string[]): string[] =>
          [...random.take(keys.length)]
            .map((at, i) => ({ key: keys[i] ?? '', at }))
            .sort((a, b) => a.at - b.at)
            .map(({ key }) => key);
        expect(canonicalJson(shuffled(value, order))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is JSON of the very value', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it('differs for different values', () => {
    fc.assert(
      fc.property(values, values, (one, other) => {
        const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(canonicalJson(one) === canonicalJson(other)).toBe(same);
      }),
    );
  });

  it.each([
    [{ a: null }, {}],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: 1 }, { a: '1' }],
    [{ a: { b: 1 } }, { 'a.b': 1 }],
    [[], {}],
    [{ a: [] }, { a: {} }],
    [['a,b'], ['a', 'b']],
    [{ a: 'é' }, { a: 'e\u0301' }],
  ])('tells %j from %j', (one, other) => {
    expect(canonicalJson(one)).not.toBe(canonicalJson(other));
  });

  it('sorts keys that look like numbers or like what every object has', () => {
    const one = JSON.parse('{"__proto__":1,"10":2,"9":3,"constructor":4,"a":5}') as object;
    const other = JSON.parse('{"a":5,"constructor":4,"9":3,"10":2,"__proto__":1}') as object;
    expect(canonicalJson(one)).toBe(canonicalJson(other));
    expect(canonicalJson(one)).toBe('{"10":2,"9":3,"__proto__":1,"a":5,"constructor":4}');
  });

  it('writes what JSON writes: a time as text, no member of undefined, a key toJSON as any other', () => {
    const value = { at: new Date(0), none: undefined, list: [undefined, 1], toJSON: 'x' };
    expect(canonicalJson(value)).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","list":[null,1],"toJSON":"x"}',
    );
  });

  it('has keys in the order of their UTF-16 code units, numbers and texts as RFC 8785 writes them', () => {
    const keys = {
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\ud83d\ude00': 5,
      '\u0080': 6,
      ö: 7,
    };
    expect(canonicalJson(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
    expect(
      canonicalJson([Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, '\u20ac$\u000F\nA']),
    ).toBe('[333333333.3333333,1e+30,4.5,0.002,1e-27,"€$\\u000f\\nA"]');
  });
});

const sorted = (value: unknown): unknown => shuffled(value, (keys) => keys.sort());

describe('the fingerprint of a call', () => {
  const input = { id: newId('cnv'), mailbox: 'support@acme.test', text: 'hello' };
  const { comment, archive } = conversations;

  it('is the same for the same input, as given and as decoded', () => {
    const decoded = instantiate(CommentOnConversation, { ...input });
    const { text, ...rest } = input;
    expect(fingerprint(comment.id, decoded)).toBe(fingerprint(comment.id, { text, ...rest }));
  });

  it('is another for another operation, path id or field', () => {
    const prints = [
      fingerprint(comment.id, input),
      fingerprint(archive.id, input),
      fingerprint(comment.id, { ...input, id: newId('cnv') }),
      fingerprint(comment.id, { ...input, text: 'hello ' }),
      fingerprint(comment.id, { ...input, mailbox: 'sales@acme.test' }),
    ];
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('is 43 characters, whatever the size of the input', () => {
    const long = fingerprint(comment.id, { ...input, text: 'x'.repeat(100_000) });
    expect(long).toMatch(/^[\w-]{43}$/);
  });
});
