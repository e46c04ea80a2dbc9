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
  type MemberAccess,
} from './index.js';

/** The decoded `value`; undefined when it is refused. */
const taken = (dto: Dto<{ value?: unknown }>, value: unknown): unknown =>
  decode(dto, { body: { value } }).input?.value;

const takenText = (dto: Dto<{ value?: unknown }>, value: string): unknown =>
  decode(dto, { texts: { value } }).input?.value;

const wrongTypes = [null, 1, 0, true, {}, [], ['a'], { length: 1 }];

describe('Text', () => {
  class Note {
    @Text('A note.', { max: 3 })
    value!: string;
  }
  class Filled {
    @Text('A name.', { max: 3, filled: true })
    value!: string;
  }

  it.each(['', 'abc', 'ééé', '日本語', '😀😀😀', '   ', '\ud83d\ude00'])('takes %j', (text) => {
    expect(taken(Note, text)).toBe(text);
  });

  it('counts code points: three emoji are three, four letters are four', () => {
    expect(taken(Note, '👩👩👩')).toBe('👩👩👩');
    expect(taken(Note, 'abcd')).toBeUndefined();
    expect(taken(Note, '😀😀😀😀')).toBeUndefined();
  });

  it.each(['\u0000', 'a\u0000', '\ud800', '\udc00a', '\ude00\ud83d'])(
    'refuses %j, which cannot be stored',
    (text) => {
      expect(taken(Note, text)).toBeUndefined();
    },
  );

  it.each(wrongTypes)('refuses %j', (value) => {
    expect(taken(Note, value)).toBeUndefined();
  });

  it.each(['', '  ', '\t\n', '\u00a0\u2003'])('refuses %j where it must say something', (text) => {
    expect(taken(Filled, text)).toBeUndefined();
    expect(taken(Filled, `${text.slice(0, 2)}a`)).toBe(`${text.slice(0, 2)}a`);
  });
});

describe('Texts', () => {
  class Labels {
    @Texts('Labels.', { max: 2, each: 3 })
    value!: string[];
  }

  it('takes up to its number of texts, each up to its length', () => {
    for (const labels of [[], ['abc', '😀😀😀'], ['a', 'a']]) {
      expect(taken(Labels, labels)).toEqual(labels);
    }
  });

  it.each([[['a', 'b', 'c']], [['abcd']], [['']], [['a', 1]], [['\u0000']], ['a'], [{ 0: 'a' }]])(
    'refuses %j',
    (value) => {
      expect(taken(Labels, value)).toBeUndefined();
    },
  );
});

describe('Id', () => {
  class Named {
    @Id('cnv', 'The conversation.')
    value!: string;
  }

  it('takes an identifier of its kind as it is', () => {
    const id = newId('cnv');
    expect(taken(Named, id)).toBe(id);
    expect(takenText(Named, id)).toBe(id);
  });

  class Stored {
    @Id('cnv', 'The conversation.', { stored: true })
    value!: string;
  }

  const malformed = [
    ...['', 'x', 'cnv_', newId('msg'), newId('cnv').toLowerCase(), `${newId('cnv')}\u0000`, '../a'],
  ];

  it.each(malformed)('takes the malformed %j for one that nothing has', (text) => {
    expect(takenText(Named, text)).toBe(unknownId('cnv'));
  });

  it.each(malformed)('refuses the malformed %j where it would be stored', (text) => {
    expect(taken(Stored, text)).toBeUndefined();
    const id = newId('cnv');
    expect(taken(Stored, id)).toBe(id);
  });

  it.each(wrongTypes)('refuses %j', (value) => {
    expect(taken(Named, value)).toBeUndefined();
  });
});

describe('Email', () => {
  class Addressed {
    @Email('An address.')
    value!: string;
  }

  it.each([
    'a@b',
    'jean.dupont+tag@exemple.fr',
    "o'brien!#$%&*/=?^_`{|}~-@x-y.example",
    'user@bücher.example',
    'user@xn--bcher-kva.example',
    'δοκιμή@παράδειγμα.δοκιμή',
    '用户@例子.广告',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.fr`,
  ])('takes %s', (address) => {
    expect(taken(Addressed, address)).toBe(address);
    expect(isEmail(address)).toBe(true);
  });

  it('keeps addresses in lower case', () => {
    expect(taken(Addressed, 'Support@ACME.Test')).toBe('support@acme.test');
    expect(taken(Addressed, 'ÉLODIE@Exemple.FR')).toBe('élodie@exemple.fr');
  });

  it.each([
    'Jean Dupont <jean@exemple.fr>',
    '<jean@exemple.fr>',
    'a@b.fr, c@d.fr',
    'a@b.fr;c@d.fr',
    'a@b@c.fr',
    'a b@c.fr',
    'a@c.fr ',
    ' a@c.fr',
    'a@c.fr\nBcc: x@y.fr',
    '"jean dupont"@exemple.fr',
    'a@[127.0.0.1]',
    'a(comment)@b.fr',
    'mailto:a@b.fr',
    'a@b..fr',
    'a@.fr',
    'a@b.',
    '@b.fr',
    'a@',
    'a',
    '',
    'İ@b.fr',
    'a\u0000@b.fr',
    'a\u0085@b.fr',
    '\ud800@b.fr',
    `${'a'.repeat(65)}@b.fr`,
    `a@${'b'.repeat(64)}.fr`,
    `a@${'b.'.repeat(130)}fr`,
  ])('refuses %j', (text) => {
    expect(taken(Addressed, text)).toBeUndefined();
  });

  it.each(wrongTypes)('refuses %j', (value) => {
    expect(taken(Addressed, value)).toBeUndefined();
  });
});

describe('Flag', () => {
  class Switch {
    @Flag('Whether it is on.')
    value!: boolean;
  }

  it('takes true and false, in a text by their names', () => {
    expect([taken(Switch, true), taken(Switch, false)]).toEqual([true, false]);
    expect([takenText(Switch, 'true'), takenText(Switch, 'false')]).toEqual([true, false]);
  });

  it.each(['true', 1, 0, null, [], {}])('refuses %j of a body', (value) => {
    expect(taken(Switch, value)).toBeUndefined();
  });

  it.each(['', '1', 'TRUE', 'yes', ' true'])('refuses the text %j', (text) => {
    expect(takenText(Switch, text)).toBeUndefined();
  });
});

describe('Count', () => {
  class Limit {
    @Count('How many.', { min: 1, max: 100 })
    value!: number;
  }

  it('takes whole numbers within its bounds, in a text by their digits', () => {
    for (const value of [1, 50, 100]) {
      expect(taken(Limit, value)).toBe(value);
      expect(takenText(Limit, String(value))).toBe(value);
    }
  });

  it.each([0, 101, -1, 1.5, NaN, Infinity, 1e308, '5', true, null, [5], {}])(
    'refuses %j of a body',
    (value) => {
      expect(taken(Limit, value)).toBeUndefined();
    },
  );

  it.each(['', '0', '101', '1.0', '1e1', '0x10', '+5', ' 5', '5 ', '5a', '٥', '9'.repeat(400)])(
    'refuses the text %j',
    (text) => {
      expect(takenText(Limit, text)).toBeUndefined();
    },
  );
});

describe('Instant', () => {
  class Moment {
    @Instant('A moment.')
    value!: string;
  }

  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-03-01T10:00:00.123456789Z', '2026-03-01T10:00:00.123Z'],
    ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T00:30:00+05:30', '2026-02-28T19:00:00.000Z'],
    ['2024-02-29T10:00:00-00:00', '2024-02-29T10:00:00.000Z'],
  ])('takes %s, kept in UTC', (text, utc) => {
    expect(taken(Moment, text)).toBe(utc);
    expect(taken(Moment, utc)).toBe(utc);
  });

  it.each([
    '2026-03-01T10:00:00',
    '2026-03-01',
    '2026-03-01T10:00:00+0200',
    '2026-03-01T10:00:00+24:00',
    '2026-03-01T24:00:00Z',
    '2026-03-01T10:60:00Z',
    '2026-03-01T23:59:60Z',
    '2026-02-30T10:00:00Z',
    '2026-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-01T10:00:00Z',
    '2026-01-00T10:00:00Z',
    '0000-01-01T00:00:00Z',
    // Beyond the years 1 to 9999 in UTC; the contract has no narrower bound.
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '10000-01-01T00:00:00Z',
    '+002026-03-01T10:00:00Z',
    '2026-03-01 10:00:00Z',
    ' 2026-03-01T10:00:00Z',
    '2026-03-01T10:00:00Z\n',
    'March 1, 2026 10:00 GMT',
    'now',
    '',
    1_772_359_200_000,
    null,
    {},
    ['2026-03-01T10:00:00Z'],
  ])('refuses %j', (value) => {
    expect(taken(Moment, value)).toBeUndefined();
  });
});

describe('OneOf and SomeOf', () => {
  class Choice {
    @OneOf(['open', 'closed'], 'The state.')
    value!: 'open' | 'closed';
  }
  class Choices {
    @SomeOf(['read', 'write'], 'The rights.')
    value!: ('read' | 'write')[];
  }

  it('take the words of their list', () => {
    expect(taken(Choice, 'closed')).toBe('closed');
    for (const words of [[], ['read'], ['write', 'read']]) {
      expect(taken(Choices, words)).toEqual(words);
    }
  });

  it.each(['OPEN', 'open ', '', 'constructor', 0, null, ['open'], {}])('refuse %j', (value) => {
    expect(taken(Choice, value)).toBeUndefined();
  });

  it.each([[['read', 'read']], [['admin']], [['read', null]], ['read'], [{ 0: 'read' }], [null]])(
    'refuse the list %j',
    (value) => {
      expect(taken(Choices, value)).toBeUndefined();
    },
  );
});

describe('Access', () => {
  class Shared {
    @Access('mbr', 'Who sees it.')
    value!: MemberAccess;
  }

  it('takes the whole workspace, or members', () => {
    const members = [newId('mbr'), newId('mbr')];
    expect(taken(Shared, 'workspace')).toBe('workspace');
    expect(taken(Shared, members)).toEqual(members);
    expect(taken(Shared, [])).toEqual([]);
  });

  const member = newId('mbr');
  it.each([['nobody'], [[newId('key')]], [[member, member]], [['workspace']], [null], [{}]])(
    'refuses %j',
    (value) => {
      expect(taken(Shared, value)).toBeUndefined();
    },
  );
});

describe('Ids', () => {
  class Named {
    @Ids('mbr', 'Who is in it.', { max: 2 })
    value!: string[];
  }
  const [one, other] = [newId('mbr'), newId('mbr')];

  it('takes identifiers, each once, in their order', () => {
    for (const ids of [[], [one], [other, one]]) expect(taken(Named, ids)).toEqual(ids);
  });

  it.each([[[one, one]], [[newId('key')]], [[one, other, newId('mbr')]], ['all'], [null], [[5]]])(
    'refuses %j',
    (value) => {
      expect(taken(Named, value)).toBeUndefined();
    },
  );
});

describe('EmailOr', () => {
  class Assigned {
    @EmailOr('none', 'Who has it.')
    value!: string;
  }

  it('takes the word, or an address in lower case', () => {
    expect(taken(Assigned, 'none')).toBe('none');
    expect(taken(Assigned, 'Ada@Acme.test')).toBe('ada@acme.test');
  });

  it.each(['', 'None', 'nobody', 'a@b@c', 5, null])('refuses %j', (value) => {
    expect(taken(Assigned, value)).toBeUndefined();
  });
});

describe('Label and Labels', () => {
  class One {
    @Label('The label.')
    value!: string;
  }
  class Many {
    @Labels('The labels.', { max: 2 })
    value!: string[];
  }

  it('take what can be seen, without white space at the ends and with one space inside', () => {
    expect(taken(One, '  to \u3000 do ')).toBe('to do');
    expect(taken(One, '🐎'.repeat(128))).toBe('🐎'.repeat(128));
    expect(taken(One, '👨\u200d👩\u200d👧')).toBe('👨\u200d👩\u200d👧');
    expect(taken(Many, [' a', 'b '])).toEqual(['a', 'b']);
  });

  it.each(
    [
      [
        '',
        ' ',
        '\u3000',
        '\u200b',
        '\u2060\ufeff',
        '\ufe0f',
        '\u180e',
        '\u2800',
        '\u{e0001}',
        'a\tb',
        'a\u0000',
        '\u009f',
        '\ud800',
      ],
      ['x'.repeat(129), ' '.repeat(128) + 'x', 5, null, ['a']],
    ].flat(),
  )('refuse %j', (value) => {
    expect(taken(One, value)).toBeUndefined();
    expect(taken(Many, ['a', value])).toBeUndefined();
  });

  it('refuse a list that is too long, or none', () => {
    for (const value of [['a', 'b', 'c'], 'a', null, {}])
      expect(taken(Many, value)).toBeUndefined();
  });
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

  it.each([
    ['3', 3],
    ['"3"', 3],
    ['0', 0],
  ])('takes the header %s', (text, version) => {
    expect(takenText(Change, text)).toBe(version);
  });

  it.each(['', 'W/"3"', '"3', '3, 4', '-1', '1.5', 'x', '9'.repeat(16)])('refuses %j', (text) => {
    const { violations } = decode(Change, { texts: { value: text } });
    expect(violations).toMatchObject([{ field: 'If-Match' }]);
  });

  // RFC 9110 §13.1.1: `*` asks only that there be one.
  it('takes * and nothing as any version', () => {
    expect(decode(Change, { texts: { value: '*' } }).input).toEqual({});
    expect(decode(Change, { texts: {} }).input).toEqual({});
  });

  it('is not taken from the body of an operation that reads the header', () => {
    const { violations } = decode(Change, { texts: { value: undefined }, body: { value: 3 } });
    expect(violations).toMatchObject([{ field: 'value' }]);
  });
});
