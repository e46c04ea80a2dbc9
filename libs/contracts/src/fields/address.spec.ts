import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '../testing/repetitions.js';
import { valuesOf } from '../testing/schema-values.js';
import { Recipient, recipientNamed, recipientsOf, wireAddress } from './address.js';

const anyRecipients = valuesOf({ type: 'string', format: 'recipients', minLength: 1 });

/** The recipients as `name|address`, or nothing. */
const read = (text: string): readonly string[] | undefined =>
  recipientsOf(text)?.map(({ name, email }) => `${name ?? ''}|${email}`);

describe('recipientsOf', () => {
  it.each([
    ['a@b.fr', ['|a@b.fr']],
    [' a@b.fr ,\tc@d.fr', ['|a@b.fr', '|c@d.fr']],
    ['<a@b.fr>', ['|a@b.fr']],
    ['Ann Lee <a@b.fr>', ['Ann Lee|a@b.fr']],
    ['Dr. Ann B. Lee<a@b.fr>', ['Dr. Ann B. Lee|a@b.fr']],
    ['"Lee, Ann" <a@b.fr>, c@d.fr', ['Lee, Ann|a@b.fr', '|c@d.fr']],
    [String.raw`"Ann \"Big\" Lee \\" <a@b.fr>`, [String.raw`Ann "Big" Lee \|a@b.fr`]],
    ['"a@b.fr" <c@d.fr>', ['a@b.fr|c@d.fr']],
    ['"" <a@b.fr>', ['|a@b.fr']],
    ['"  " <a@b.fr>', ['|a@b.fr']],
    ['Zoë Müller <zoë@müller.fr>', ['Zoë Müller|zoë@müller.fr']],
    ['a@b.fr (Ann, of \\) (b, c))', ['|a@b.fr']],
    ['(x) Ann (y) Lee (z) < (k) a@b.fr (l) > (m)', ['Ann Lee|a@b.fr']],
    ['Ann <A.B+c@EXAMPLE.Fr>', ['Ann|A.B+c@example.fr']],
    ['a@MÜNCHEN.example', ['|a@münchen.example']],
    ['a@xn--mnchen-3ya.example', ['|a@münchen.example']],
    ['a@ＥＸＡＭＰＬＥ.fr', ['|a@example.fr']],
    ['用户@例え.jp', ['|用户@例え.jp']],
    ["o'brien/x=y@b.fr", ["|o'brien/x=y@b.fr"]],
    ['root@localhost', ['|root@localhost']],
    ['a@3com.com', ['|a@3com.com']],
    ['Hana <ha..na.@docomo.example>', ['Hana|ha..na.@docomo.example']],
    ['<"ha..na."@docomo.example>, ".a"@b.fr', ['|ha..na.@docomo.example', '|.a@b.fr']],
    ['a@mail_1.b.fr', ['|a@mail_1.b.fr']],
  ])('reads %j', (text, recipients) => {
    expect(read(text)).toEqual(recipients);
  });

  it.each([
    ...['', ' ', ',', 'a@b.fr,', ',a@b.fr', 'a@b.fr,,c@d.fr', '(nobody)', '""'],
    ...['a', 'a@', '@b.fr', 'a@b@c.fr', 'a b@c.fr', 'a@b.fr c@d.fr', 'a @b.fr', 'a@ b.fr'],
    ...['a@b.fr; c@d.fr', 'Team: a@b.fr, c@d.fr;', 'undisclosed-recipients:;', 'mailto:a@b.fr'],
    ...['Lee, Ann <a@b.fr>', 'Ann @ Lee <a@b.fr>', 'Ann [x] <a@b.fr>', 'Ann a@b.fr'],
    ...[
      '<a@b.fr',
      'a@b.fr>',
      '<>',
      'Ann <>',
      'Ann <<a@b.fr>>',
      'Ann <a@b.fr> Lee',
      '<a@b.fr><c@d.fr>',
    ],
    ...[
      '<@relay.fr:a@b.fr>',
      '<a@b.fr, c@d.fr>',
      '"Ann <a@b.fr>',
      '"Ann\\',
      '(Ann a@b.fr',
      'a@b.fr)',
    ],
    ...['"a b"@c.fr', '"a@b"@c.fr', '""@b.fr', `${'a'.repeat(65)}@b.fr`, 'a\\b@c.fr'],
    ...['a@.fr', 'a@b..fr', 'a@b.fr.', 'a@-b.fr', 'a@b-.fr', 'a@[192.0.2.1]', 'a@1.2.3.4'],
    ...[
      'a@1.2',
      'a@exa%6dple.fr',
      'a@xn--a.fr',
      `a@${'b'.repeat(64)}.fr`,
      `a@${'b.'.repeat(130)}fr`,
    ],
    ...['a@b.fr\r\n', 'a@b.fr,\nc@d.fr', 'A\rB <a@b.fr>', '"A\nB" <a@b.fr>', '"A\\\nB" <a@b.fr>'],
    ...['a\u0000@b.fr', '"A\tB" <a@b.fr>', '(a\nb) a@b.fr', 'a\u0085@b.fr', 'A\u007f <a@b.fr>'],
    ...['a\u200b@b.fr', 'a@b\u200b.fr', 'a@b\u00ad.fr', 'a\u202e@b.fr', 'a\u00a0b@c.fr', 'a@b。fr'],
    ...['\ud800 <a@b.fr>', 'ａ@b..fr', 'Ann ＜a@b.fr＞'],
  ])('refuses %j', (text) => {
    expect(recipientsOf(text)).toBeUndefined();
  });

  it('takes an entry of 640 characters and none of 641', () => {
    const named = (characters: number): string => `${'é'.repeat(characters - 9)} <a@b.fr>`;
    expect(recipientsOf(`c@d.fr, ${named(640)} ,e@f.fr`)).toHaveLength(3);
    expect(recipientsOf(`c@d.fr, ${named(641)} ,e@f.fr`)).toBeUndefined();
    expect(recipientsOf(`"${'\\😀'.repeat(314)}" <a@b.fr>`)).toHaveLength(1);
    expect(recipientsOf(`"${'😀'.repeat(400_000)}" <a@b.fr>`)).toBeUndefined();
    expect(recipientsOf('('.repeat(1_000_000))).toBeUndefined();
  });

  it('reads no further than it must', () => {
    expect(recipientsOf(','.repeat(5_000_000))).toBeUndefined();
    expect(recipientsOf('a '.repeat(5_000_000))).toBeUndefined();
    expect(recipientsOf('a@b.fr,'.repeat(500_000))).toHaveLength(501);
    expect(recipientsOf(`${'a@b.fr,'.repeat(499)}a@b.fr`)).toHaveLength(500);
  });

  it('finds every address of a list that was written by the rules, in order', () => {
    fc.assert(
      fc.property(fc.array(anyRecipients, { minLength: 1, maxLength: 3 }), (lists) => {
        const each = lists.flatMap((list) => recipientsOf(String(list)) ?? []);
        expect(each.length).toBeGreaterThanOrEqual(lists.length);
        expect(recipientsOf(lists.join(','))).toEqual(each);
      }),
    );
  });

  it('answers no control, no comma and one @ in an address, whatever it is given', () => {
    const pieces = fc.constantFrom(
      ...['a', 'b.fr', '@', '<', '>', '"', '\\', '(', ')', ',', ';', ':', ' ', '\t', '\r', '\n'],
      ...['[', ']', '.', 'é', '\u0000', '\u200b', '\ud800', '"x"', 'a@b.fr', '<a@b.fr>'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        for (const { email, name } of recipientsOf(text) ?? []) {
          expect(email).toMatch(/^[^\s\p{C},;<>"()@]+@[^\s\p{C},;<>"()@]+$/u);
          expect(text).not.toMatch(/[\r\n\0]/);
          expect(name ?? 'x').toMatch(/^[^\p{Cc}]+$/u);
          expect(recipientNamed(email, name ?? '')).toEqual(new Recipient(email, name));
        }
      }),
      { numRuns: repetitions(2_000) },
    );
  });
});

describe('wireAddress', () => {
  it('writes the domain in A-labels and leaves the local part', () => {
    expect(wireAddress('Zoë@münchen.example')).toBe('Zoë@xn--mnchen-3ya.example');
    expect(wireAddress('A@b.fr')).toBe('A@b.fr');
    expect(wireAddress('ha..na.@b.fr')).toBe('"ha..na."@b.fr');
  });

  it('names the same canonical address again', () => {
    fc.assert(
      fc.property(valuesOf({ type: 'string', format: 'recipient-address' }), (text) => {
        const recipient = recipientNamed(String(text), '');
        expect(recipientNamed(wireAddress(recipient?.email ?? ''), '')).toEqual(recipient);
      }),
    );
  });
});
