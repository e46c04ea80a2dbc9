import { describe, expect, it } from '@jest/globals';
import { newId, unknownId } from '../ids.js';
import {
  Access,
  Count,
  decode,
  Email,
  EmailOr,
  fieldsOf,
  Flag,
  Id,
  Ids,
  IfMatch,
  Instant,
  isEmail,
  Label,
  Labels,
  ListOf,
  OneOf,
  Part,
  SomeOf,
  Text,
  Texts,
  type Dto,
} from './index.js';

type Decorator = (prototype: never, name: never) => void;

/** A class whose only field `value` has a decorator. */
function having(decorator: Decorator): Dto<{ value?: unknown }> {
  class One {
    value?: unknown;
  }
  decorator(One.prototype as never, 'value' as never);
  return One;
}

/** The decoded `value`; undefined when it is refused. */
const taken = (dto: Dto<{ value?: unknown }>, value: unknown): unknown =>
  decode(dto, { body: { value } }).input?.value;

const takenText = (dto: Dto<{ value?: unknown }>, value: string): unknown =>
  decode(dto, { texts: { value } }).input?.value;

interface Rules {
  /** Values that are taken; a pair is kept as its second. */
  readonly takes: readonly (readonly [given: unknown, kept: unknown] | string | number | boolean)[];
  readonly refuses: readonly unknown[];
  /** The same of texts: of a path, a query, a header. */
  readonly takesTexts?: readonly (readonly [given: string, kept: unknown])[];
  readonly refusesTexts?: readonly string[];
}

const wrongTypes = [null, 1, 0, true, {}, [], ['a'], { length: 1 }];
const same = (value: unknown) => [value, value] as const;
const [id, one, other] = [newId('cnv'), newId('mbr'), newId('mbr')];
const malformed = ['', 'x', 'cnv_', newId('msg'), id.toLowerCase(), `${id}\u0000`, '../a'];
const blank = ['', '  ', '\t\n', '\u00a0\u2003'];
const unseen = [
  ...['', ' ', '\u3000', '\u200b', '\u2060\ufeff', '\ufe0f', '\u180e', '\u2800', '\u{e0001}'],
  ...[
    'a\tb',
    'a\u0000',
    '\u009f',
    '\ud800',
    'x'.repeat(129),
    ' '.repeat(128) + 'x',
    5,
    null,
    ['a'],
  ],
];

const fields: readonly (readonly [string, Decorator, Rules])[] = [
  [
    'Text',
    Text('A note.', { max: 3 }),
    {
      // It counts code points: three emoji are three.
      takes: ['', 'abc', 'ééé', '日本語', '😀😀😀', '👩👩👩', '   ', '\ud83d\ude00'],
      refuses: [
        ...['abcd', '😀😀😀😀', ...wrongTypes],
        // These cannot be stored.
        ...['\u0000', 'a\u0000', '\ud800', '\udc00a', '\ude00\ud83d'],
      ],
    },
  ],
  [
    'Text that must say something',
    Text('A name.', { max: 3, filled: true }),
    { takes: blank.map((text) => `${text.slice(0, 2)}a`), refuses: blank },
  ],
  [
    'Texts',
    Texts('Labels.', { max: 2, each: 3 }),
    {
      takes: [[], ['abc', '😀😀😀'], ['a', 'a']].map(same),
      refuses: [['a', 'b', 'c'], ['abcd'], [''], ['a', 1], ['\u0000'], 'a', { 0: 'a' }],
    },
  ],
  [
    'Id',
    Id('cnv', 'The conversation.'),
    {
      takes: [id],
      refuses: wrongTypes,
      // One that is malformed is one that nothing has.
      takesTexts: [[id, id], ...malformed.map((text) => [text, unknownId('cnv')] as const)],
    },
  ],
  [
    'Id that is stored',
    Id('cnv', 'It.', { refersTo: 'conversation' }),
    { takes: [id], refuses: malformed },
  ],
  [
    'Email',
    Email('An address.'),
    {
      takes: [
        ...['a@b', 'jean.dupont+tag@exemple.fr', "o'brien!#$%&*/=?^_`{|}~-@x-y.example"],
        ...['user@bücher.example', 'user@xn--bcher-kva.example', 'δοκιμή@παράδειγμα.δοκιμή'],
        ...['用户@例子.广告', `${'a'.repeat(64)}@${'b'.repeat(63)}.fr`],
        ['Support@ACME.Test', 'support@acme.test'],
        ['ÉLODIE@Exemple.FR', 'élodie@exemple.fr'],
      ],
      refuses: [
        ...['Jean Dupont <jean@exemple.fr>', '<jean@exemple.fr>', 'a@b.fr, c@d.fr'],
        ...['a@b.fr;c@d.fr', 'a@b@c.fr', 'a b@c.fr', 'a@c.fr ', ' a@c.fr', 'a@c.fr\nBcc: x@y.fr'],
        ...['"jean dupont"@exemple.fr', 'a@[127.0.0.1]', 'a(comment)@b.fr', 'mailto:a@b.fr'],
        ...['a@b..fr', 'a@.fr', 'a@b.', '@b.fr', 'a@', 'a', '', 'İ@b.fr', 'a\u0000@b.fr'],
        ...['a\u0085@b.fr', '\ud800@b.fr', `${'a'.repeat(65)}@b.fr`, `a@${'b'.repeat(64)}.fr`],
        ...[`a@${'b.'.repeat(130)}fr`, ...wrongTypes],
      ],
    },
  ],
  [
    'Flag',
    Flag('Whether it is on.'),
    {
      takes: [true, false],
      refuses: ['true', 1, 0, null, [], {}],
      takesTexts: [
        ['true', true],
        ['false', false],
      ],
      refusesTexts: ['', '1', 'TRUE', 'yes', ' true'],
    },
  ],
  [
    'Count',
    Count('How many.', { min: 1, max: 100 }),
    {
      takes: [1, 50, 100],
      refuses: [0, 101, -1, 1.5, NaN, Infinity, 1e308, '5', true, null, [5], {}],
      takesTexts: [1, 50, 100].map((count) => [String(count), count]),
      refusesTexts: [
        ...['', '0', '101', '1.0', '1e1', '0x10', '+5', ' 5', '5 ', '5a', '٥', '9'.repeat(400)],
      ],
    },
  ],
  [
    'Instant',
    Instant('A moment.'),
    {
      takes: [
        ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
        ['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z'],
        ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
        ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
        ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
        ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
        ['2026-03-01T10:00:00.123456789Z', '2026-03-01T10:00:00.123Z'],
        ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
        ['2026-03-01T00:30:00+05:30', '2026-02-28T19:00:00.000Z'],
        ['2024-02-29T10:00:00-00:00', '2024-02-29T10:00:00.000Z'],
      ],
      refuses: [
        ...['2026-03-01T10:00:00', '2026-03-01', '2026-03-01T10:00:00+0200'],
        ...['2026-03-01T10:00:00+24:00', '2026-03-01T24:00:00Z', '2026-03-01T10:60:00Z'],
        ...['2026-03-01T23:59:60Z', '2026-02-30T10:00:00Z', '2026-02-29T10:00:00Z'],
        ...['2026-13-01T10:00:00Z', '2026-00-01T10:00:00Z', '2026-01-00T10:00:00Z'],
        // Beyond the years 1 to 9999 in UTC; the contract has no narrower bound.
        ...['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'],
        ...['10000-01-01T00:00:00Z', '+002026-03-01T10:00:00Z', '2026-03-01 10:00:00Z'],
        ...[' 2026-03-01T10:00:00Z', '2026-03-01T10:00:00Z\n', 'March 1, 2026 10:00 GMT'],
        ...['now', '', 1_772_359_200_000, null, {}, ['2026-03-01T10:00:00Z']],
      ],
    },
  ],
  [
    'OneOf',
    OneOf(['open', 'closed'], 'The state.'),
    {
      takes: ['open', 'closed'],
      refuses: ['OPEN', 'open ', '', 'constructor', 0, null, ['open'], {}],
    },
  ],
  [
    'SomeOf',
    SomeOf(['read', 'write'], 'The rights.'),
    {
      takes: [[], ['read'], ['write', 'read']].map(same),
      refuses: [['read', 'read'], ['admin'], ['read', null], 'read', { 0: 'read' }, null],
    },
  ],
  [
    'Access',
    Access('mbr', 'Who sees it.'),
    {
      takes: ['workspace', same([one, other]), same([])],
      refuses: ['nobody', [newId('key')], [one, one], ['workspace'], null, {}],
    },
  ],
  [
    'Ids',
    Ids('mbr', 'Who is in it.', { max: 2 }),
    {
      takes: [[], [one], [other, one]].map(same),
      refuses: [[one, one], [newId('key')], [one, other, newId('mbr')], 'all', null, [5]],
    },
  ],
  [
    'EmailOr',
    EmailOr('none', 'Who has it.'),
    {
      takes: ['none', ['Ada@Acme.test', 'ada@acme.test']],
      refuses: ['', 'None', 'nobody', 'a@b@c', 5, null],
    },
  ],
  [
    'Label',
    Label('The label.'),
    {
      // It has no white space at its ends, and one space inside.
      takes: [['  to \u3000 do ', 'to do'], '🐎'.repeat(128), '👨\u200d👩\u200d👧'],
      refuses: unseen,
    },
  ],
  [
    'Labels',
    Labels('The labels.', { max: 2 }),
    {
      takes: [
        [
          [' a', 'b '],
          ['a', 'b'],
        ],
      ],
      refuses: [...unseen.map((value) => ['a', value]), ['a', 'b', 'c'], 'a', null, {}],
    },
  ],
  [
    'IfMatch',
    IfMatch(),
    {
      takes: [],
      refuses: [],
      takesTexts: [
        ['3', 3],
        ['"3"', 3],
        ['0', 0],
        // RFC 9110 §13.1.1: `*` asks only that there be one.
        ['*', undefined],
      ],
      refusesTexts: ['', 'W/"3"', '"3', '3, 4', '-1', '1.5', 'x', '9'.repeat(16)],
    },
  ],
];

describe.each(fields)('%s', (_name, decorator, rules) => {
  const dto = having(decorator);
  const takes = rules.takes.map((given) => (Array.isArray(given) ? given : [given, given]));

  it('takes what it is for', () => {
    for (const [given, kept] of takes) expect([given, taken(dto, given)]).toEqual([given, kept]);
    for (const [given, kept] of rules.takesTexts ?? [])
      expect([given, takenText(dto, given)]).toEqual([given, kept]);
  });

  it('refuses what is anything else', () => {
    for (const value of rules.refuses)
      expect([value, taken(dto, value)]).toEqual([value, undefined]);
    for (const text of rules.refusesTexts ?? []) {
      const { input, violations } = decode(dto, { texts: { value: text } });
      expect([text, input, violations?.length]).toEqual([text, undefined, 1]);
    }
  });
});

it('judges addresses apart from fields by the same rule', () => {
  expect([isEmail('δοκιμή@παράδειγμα.δοκιμή'), isEmail('a@b..fr')]).toEqual([true, false]);
});

describe('Part and ListOf', () => {
  class Server {
    @Text('Host name.', { max: 5 })
    host!: string;

    @Flag('TLS from the first byte.', { default: true })
    secure!: boolean;
  }
  class One {
    @Part(() => Server, 'The server.')
    value!: Server;
  }
  class Many {
    @ListOf(() => Server, 'The servers.', { max: 2 })
    value!: Server[];
  }

  it('take nested objects as instances, defaults included', () => {
    const one = taken(One, { host: 'a' });
    expect(one).toBeInstanceOf(Server);
    expect(one).toEqual({ host: 'a', secure: true });
    expect(taken(Many, [{ host: 'a', secure: false }])).toEqual([{ host: 'a', secure: false }]);
    expect(taken(Many, [])).toEqual([]);
  });

  it.each([null, 'a', 1, [], [{ host: 'a' }], {}, { host: 1 }])('refuse %j for one', (value) => {
    expect(taken(One, value)).toBeUndefined();
  });

  const server = { host: 'a' };
  it.each([
    [null],
    ['a'],
    [server],
    [{ 0: server, length: 1 }],
    [[null]],
    [['a']],
    [[[server]]],
    [[{}]],
    [[server, server, server]],
  ])('refuse %j for many', (value) => {
    expect(taken(Many, value)).toBeUndefined();
  });
});

describe('presence', () => {
  class Change {
    @Text('Required.', { max: 9 })
    required!: string;

    @Text('Required, may be null.', { max: 9, nullable: true })
    nullable!: string | null;

    @Text('May be absent.', { max: 9, optional: true })
    optional?: string;

    @Text('May be absent or null.', { max: 9, optional: true, nullable: true })
    both?: string | null;

    @SomeOf(['a', 'b'], 'Has a default.', { default: ['a'] })
    preset!: ('a' | 'b')[];
  }
  const least = { required: 'r', nullable: null };

  it('leaves out what is absent and takes defaults in its place', () => {
    expect(decode(Change, { body: least }).input).toEqual({ ...least, preset: ['a'] });
  });

  it('keeps null apart from absent', () => {
    expect(decode(Change, { body: { ...least, both: null } }).input?.both).toBeNull();
    expect(decode(Change, { body: least }).input).not.toHaveProperty('both');
  });

  it.each(['required', 'optional', 'preset'])('refuses null for %s', (name) => {
    const { violations } = decode(Change, { body: { ...least, [name]: null } });
    expect(violations?.map((one) => one.field)).toEqual([name]);
  });

  it('refuses the absence of what is required, nullable or not', () => {
    const { violations } = decode(Change, {});
    expect(violations?.map((one) => one.field)).toEqual(['required', 'nullable']);
  });

  it('gives every input a default list of its own', () => {
    decode(Change, { body: least }).input?.preset.push('b');
    expect(decode(Change, { body: least }).input?.preset).toEqual(['a']);
  });

  it('lists the fields of a class after those of the class it extends', () => {
    class More extends Change {
      @Flag('One more.')
      more!: boolean;
    }
    expect(fieldsOf(More).map((field) => field.name)).toEqual([
      ...fieldsOf(Change).map((field) => field.name),
      'more',
    ]);
  });

  it('refuses a second decorator of a property, also of an inherited one', () => {
    const again = Text('Again.', { max: 9 });
    expect(() => {
      again(Change.prototype, 'required');
    }).toThrow('has two field decorators');
    class Sub extends Change {}
    expect(() => {
      again(Sub.prototype, 'required');
    }).toThrow('has two field decorators');
  });
});

describe('IfMatch', () => {
  class Change {
    @IfMatch()
    value?: number;
  }

  it('is none where it is absent, and named by its header', () => {
    expect(decode(Change, { texts: {} }).input).toEqual({});
    expect(decode(Change, { texts: { value: '*' } }).input).toEqual({});
    expect(decode(Change, { texts: { value: 'x' } }).violations).toMatchObject([
      { field: 'If-Match' },
    ]);
  });

  it('is not taken from the body of an operation that reads the header', () => {
    const { violations } = decode(Change, { texts: { value: undefined }, body: { value: 3 } });
    expect(violations).toMatchObject([{ field: 'value' }]);
  });
});
