import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import {
  addressesOf,
  authorOf,
  quotedStrings,
  recipientsOf,
  replaceQuotedStrings,
} from './addresses.js';

/** The plain definition, which takes quadratic time. */
const expression = /"((?:[^"\\]|\\[^])*)"/gu;
const text = fc.string({ unit: fc.constantFrom('"', '\\', 'a', '@', '\n', ' ') });

describe('quoted strings', () => {
  it('are those of the grammar, whatever the text', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(Array.from(quotedStrings(given), ({ content }) => content)).toEqual(
          Array.from(given.matchAll(expression), (found) => found[1]),
        );
        expect(replaceQuotedStrings(given, ({ content }) => `<${content}>`)).toBe(
          given.replace(expression, (_, content: string) => `<${content}>`),
        );
      }),
      { numRuns: repetitions(10_000) },
    );
  });

  it.each(['"', '"\\', '\\"', '\\"\\'])('are found in linear time: %j without end', (unit) => {
    const given = unit.repeat(2_000_000 / unit.length);
    const before = process.cpuUsage();
    for (const _ of quotedStrings(given));
    // Quadratic, it would be an hour.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
  });
});

const read = (value: string) => addressesOf([{ key: 'to', value }], 'to');

describe('addressesOf', () => {
  it.each([
    [
      'Jane <jane@x.test>, joe@x.test',
      [
        ['jane@x.test', 'Jane'],
        ['joe@x.test', null],
      ],
    ],
    ['=?utf-8?q?J=C3=A9r=C3=B4me?= <j@x.test>', [['j@x.test', 'Jérôme']]],
    ['"Doe, Jane" <jane@x.test>', [['jane@x.test', 'Doe, Jane']]],
    [
      'Team: a@x.test, B <b@x.test>;',
      [
        ['a@x.test', null],
        ['b@x.test', 'B'],
      ],
    ],
    ['undisclosed-recipients:;', []],
    ['Mary <@hop.test:mary@x.test>', [['mary@x.test', 'Mary']]],
    ['Pete <pete(his account)@silly.test(his host)>', [['pete@silly.test', 'Pete']]],
    ['"a b"@x.test', [['"a b"@x.test', null]]],
    ['Ann <"a@b"@x.test>', [['"a@b"@x.test', 'Ann']]],
    [
      '"An\\"n" <"a,\\"b"@x.test>, "c.d"@x.test',
      [
        ['"a,\\"b"@x.test', 'An"n'],
        ['c.d@x.test', null],
      ],
    ],
    [
      '"Jane" <j@x.test>, "@y.test" <k@x.test>',
      [
        ['j@x.test', 'Jane'],
        ['k@x.test', '@y.test'],
      ],
    ],
    ['jdoe@test   . example', [['jdoe@test.example', null]]],
    ['<a@[IPv6:2001:db8::1]>', [['a@[IPv6:2001:db8::1]', null]]],
    ['<Undisclosed-Recipient:@x.test;>', []],
    ['Smith, Ann <ann@x.test>', [['ann@x.test', 'Smith, Ann']]],
    [
      'Smith, Ann <a@x.test>, Lee, Dr., Bo <b@x.test>, c@x.test',
      [
        ['a@x.test', 'Smith, Ann'],
        ['b@x.test', 'Lee, Dr., Bo'],
        ['c@x.test', null],
      ],
    ],
    ['=?utf-8?q?M=C3=BCller=2C?= Ann <a@x.test>', [['a@x.test', 'Müller, Ann']]],
    ['=?utf-8?b?TMO8?= =?utf-8?b?dHo=?= <a@x.test>', [['a@x.test', 'Lütz']]],
    ['a@x.test (Ann (of (all) things) Lee)', [['a@x.test', 'Ann (of (all) things) Lee']]],
    [
      'Ann (x (y)) <a@x.test>, "(b" <b@x.test>',
      [
        ['a@x.test', 'Ann'],
        ['b@x.test', '(b'],
      ],
    ],
    [
      'Hana <ha..na.@docomo.example>, <"a..b"@x.test>',
      [
        ['ha..na.@docomo.example', 'Hana'],
        ['a..b@x.test', null],
      ],
    ],
    ['<=?utf-8?q?boss=40acme.test?=>', []],
    ['nobody', []],
    ['', []],
  ])('reads %j', (value, expected) => {
    expect(read(value).map(({ email, name }) => [email, name])).toEqual(expected);
  });

  it('keeps at most 500 and says so, of names and addresses that fit', () => {
    for (const [key, list] of [
      ['to', 'to'],
      ['cc', 'cc'],
      ['reply-to', 'replyTo'],
    ] as const)
      for (const count of [500, 501, 2000]) {
        const { recipientsTruncated, ...lists } = recipientsOf([
          { key, value: 'a@x.test, '.repeat(count) },
        ]);
        expect([lists[list].length, recipientsTruncated]).toEqual([500, count > 500]);
      }
    expect(read(`${'a'.repeat(400)}@x.test`)).toEqual([]);
    expect(read(`"${'n'.repeat(900)}" <a@x.test>`)[0]?.name).toHaveLength(320);
  });

  it('takes the first mailbox of the first From', () => {
    const headers = ['A <a@x.test>, b@x.test', 'c@x.test'].map((value) => ({ key: 'from', value }));
    expect(authorOf(headers)).toEqual({ email: 'a@x.test', name: 'A' });
    expect(authorOf([])).toBeNull();
    for (const value of ['Ann Lee', '"Ann Lee"', '=?utf-8?q?Ann_Lee?=', 'Ann Lee <>']) {
      expect(authorOf([{ key: 'from', value }])).toEqual({ email: null, name: 'Ann Lee' });
    }
  });
});
