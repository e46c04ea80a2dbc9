import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AttachedFile,
  base64Length,
  canonicalBase64Pattern,
  decode,
  instantiate,
  isCanonicalBase64,
  StoredContent,
} from './fields/index.js';
import { newId } from './ids.js';
import { repetitions } from './testing/repetitions.js';
import { GivenMessage, messageFaults } from './compose.js';
import { draftGiven, drafts } from './drafts.js';
import { sends } from './sends.js';

const message = { to: 'a@b.fr', subject: 'Hello', body: '<p>It works.</p>' };

const given = (changes: object) => decode(GivenMessage, { body: { ...message, ...changes } });

/** Fields at fault. */
const faults = (changes: object): readonly string[] =>
  given(changes).violations?.map(({ field }) => field) ?? [];

const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `u${i}@b.fr`);

describe('addresses', () => {
  const ann = { email: 'a@b.fr', name: 'Ann' };
  const bob = { email: 'B@c.fr', name: null };

  it.each([
    ['a comma-separated text', 'Ann <a@b.fr>, B@C.fr'],
    ['a list of texts', ['"Ann" <a@b.fr>', 'B@C.fr']],
    ['a list of objects', [{ email: 'a@b.fr', name: ' Ann ' }, { address: 'B@C.fr' }]],
    ['a list of both', ['Ann <a@b.fr>', { email: 'B@C.fr', name: null }]],
    ['what it decoded to', [ann, bob]],
  ])('are read from %s', (_form, to) => {
    expect(given({ to }).input?.to).toEqual([ann, bob]);
  });

  it('are none where none are given, and never the same list twice', () => {
    expect(given({}).input).toMatchObject({ cc: [], bcc: [], attachments: [] });
    expect(given({ cc: null, bcc: null, attachments: null }).input).toEqual(given({}).input);
    expect(given({ cc: '', bcc: [] }).input).toMatchObject({ cc: [], bcc: [] });
    expect(given({}).input?.cc).not.toBe(given({}).input?.cc);
  });

  it.each([undefined, '', [], null, 1, true, {}, ann])('of whom to write to are not %j', (to) => {
    expect(faults({ to })).toEqual(['to']);
  });

  it.each([
    ...[1, null, [], true, '', 'x', 'a@b.fr, c@d.fr', 'a@b.fr\n', {}, { name: 'Ann' }],
    ...[{ email: '' }, { email: 1 }, { email: null }, { email: 'Ann <a@b.fr>' }],
    ...[{ email: ' a@b.fr' }, { email: 'a@b.fr, c@d.fr' }, { email: 'a@b.fr\r\nBcc: c@d.fr' }],
    ...[
      { email: 'a@b.fr', name: 1 },
      { email: 'a@b.fr', name: 'A\nB' },
      { ...ann, note: '' },
    ],
    ...[
      { email: 'a@b.fr', name: 'A\n' },
      { email: 'a@b.fr', name: '\u0000' },
    ],
    ...[{ email: 'a@b.fr', address: 'a@b.fr' }],
    ...[{ email: 'a@b.fr', name: 'x'.repeat(635) }],
  ])('in a list are not %j, and the place is named', (entry) => {
    expect(faults({ cc: ['x@y.fr', entry] })).toEqual(['cc.1']);
  });

  it('in a list have no white space without end around them', () => {
    for (const entry of [','.repeat(1_000_000), `${' '.repeat(3_000)}a@b.fr`]) {
      expect(faults({ cc: [entry] })).toEqual(['cc.0']);
    }
  });

  it('are 500 in a field at most, whatever the form', () => {
    for (const [count, fields] of [
      [500, []],
      [501, ['bcc']],
    ] as const) {
      expect(faults({ bcc: addresses(count) })).toEqual(fields);
      expect(faults({ bcc: addresses(count).join(', ') })).toEqual(fields);
      expect(faults({ bcc: addresses(count).map((email) => ({ email })) })).toEqual(fields);
    }
  });

  it('are 500 in all fields together at most', () => {
    const { input } = given({ to: addresses(400), cc: addresses(400) });
    expect(messageFaults(input ?? {})).toMatchObject([{ field: 'cc' }]);
    const full = given({ to: addresses(200), cc: addresses(200), bcc: addresses(100) }).input;
    expect(messageFaults(full ?? {})).toEqual([]);
    expect(messageFaults({ to: null, attachments: null })).toEqual([]);
  });

  it('are 640 characters long at most, with their name', () => {
    const name = 'é'.repeat(640 - 'a@b.fr'.length);
    expect(given({ to: [{ email: 'a@b.fr', name }] }).input?.to).toEqual([
      { email: 'a@b.fr', name },
    ]);
    expect(faults({ to: [{ email: 'a@b.fr', name: `${name}é` }] })).toEqual(['to.0']);
  });
});

describe('subject, body, priority, inReplyTo', () => {
  it.each([
    '\r\nBcc: c@d.fr',
    'a\nb',
    'a\rb',
    'a\u0000b',
    'a\u0085b',
    '',
    '  ',
    1,
    null,
    undefined,
  ])('a subject is not %j', (subject) => {
    expect(faults({ subject })).toEqual(['subject']);
  });

  it('a subject has at most 998 characters', () => {
    expect(given({ subject: '😀'.repeat(998) }).input?.subject).toBe('😀'.repeat(998));
    expect(faults({ subject: 'x'.repeat(999) })).toEqual(['subject']);
  });

  it('a reply names no other conversation than its path does', () => {
    const lists = { to: [], cc: [], bcc: [], attachments: [] };
    const reply = { ...message, ...lists, id: newId('cnv'), mailbox: 'a@b.fr' };
    expect(sends.reply.rule?.({ ...reply, threadId: reply.id })).toEqual([]);
    expect(sends.reply.rule?.({ ...reply, threadId: newId('cnv') })).toMatchObject([
      { field: 'threadId' },
    ]);
  });

  it('a body may be empty, and has to be there', () => {
    expect(given({ body: '' }).input?.body).toBe('');
    expect(given({ body: 'a\r\nb' }).input?.body).toBe('a\r\nb');
    for (const body of [undefined, null, 1, {}]) expect(faults({ body })).toEqual(['body']);
  });

  it.each(['urgent', 'high\r\nX: y', 'High', '', 1])('a priority is not %j', (priority) => {
    expect(faults({ priority })).toEqual(['priority']);
  });

  it('what may be left out may be null', () => {
    expect(given({ priority: null, inReplyTo: null }).input).toEqual(given({}).input);
  });

  it('takes the other fields as they are', () => {
    const inReplyTo = newId('msg');
    expect(given({ inReplyTo, priority: 'low' }).input).toMatchObject({
      inReplyTo,
      priority: 'low',
    });
  });
});

describe('a draft', () => {
  const decoded = (operation: typeof drafts.create, body: object) => {
    const { input, unknownFields } = operation;
    return decode(input, { body: { mailbox: 'a@b.fr', ...body }, unknownFields }).input;
  };

  it('is the whole body where there is no draft in it, and ignores what a draft has not', () => {
    const root = decoded(drafts.create, { subject: 'x', to: [], id: 'drf_x', colour: 'red' });
    expect(root).toEqual({ mailbox: 'a@b.fr', subject: 'x', to: [] });
    expect(root && draftGiven(root)).toBe(root);
    const within = decoded(drafts.create, { subject: 'x', draft: { version: 9 } });
    expect(within && draftGiven(within)).toEqual({});
  });

  it('that has too much is told by where it stands', () => {
    const cc = addresses(501).map((email) => ({ email, name: null }));
    expect(drafts.create.rule?.({ mailbox: 'a@b.fr', cc })).toMatchObject([{ field: 'cc' }]);
    expect(drafts.create.rule?.({ mailbox: 'a@b.fr', draft: { cc } })).toMatchObject([
      { field: 'draft.cc' },
    ]);
  });
});

describe('attachments', () => {
  const contentBase64 = 'SGk=';
  const attached = (entry: unknown): readonly string[] => faults({ attachments: [entry] });

  it.each([
    [{ contentBase64 }, { filename: null, mimeType: null }],
    [{ contentBase64, filename: 'a b.pdf', mimeType: 'application/pdf' }, {}],
    [{ contentBase64, name: 'a b.pdf', type: 'application/pdf' }, {}],
    [
      { contentBase64: '', filename: null, mimeType: null },
      { filename: null, mimeType: null },
    ],
    [
      { contentBase64, filename: '.é…', type: '' },
      { filename: '.é…', mimeType: '' },
    ],
  ])('takes %j', (entry, expected) => {
    expect(given({ attachments: [entry] }).input?.attachments).toEqual([
      Object.assign(new AttachedFile(entry.contentBase64, 'a b.pdf', 'application/pdf'), expected),
    ]);
  });

  it.each([
    ...[
      'SGk',
      'SGk',
      'SGl=',
      'SG==k',
      'SGk=\n',
      ' SGk=',
      'SGk==',
      'SG-_',
      '====',
      '=',
      'é===',
      'AB==',
    ],
    ...[undefined, null, 1, {}, ['SGk=']],
    ...[{ reference: 'x', size: 1, sha256: 'x' }],
  ])('refuses the content %j', (content) => {
    expect(attached({ contentBase64: content })).toEqual(['attachments.0.contentBase64']);
  });

  it.each(['', ' ', '.', '..', 'a/b', 'a\\b', 'a\nb', 'a\r', 'a\u0000', 'x'.repeat(256), 1, {}])(
    'refuses the file name %j',
    (filename) => {
      expect(attached({ contentBase64, filename })).toEqual(['attachments.0.filename']);
      expect(attached({ contentBase64, name: filename })).toEqual(['attachments.0.filename']);
    },
  );

  it.each(['a\nb', 'a\r\nb', 1, {}, 'x'.repeat(256)])('refuses the type %j', (type) => {
    expect(attached({ contentBase64, type })).toEqual(['attachments.0.mimeType']);
  });

  it('refuses a field under two names, and one that is unknown', () => {
    expect(attached({ contentBase64, filename: 'a', name: 'a' })).toEqual(['attachments.0.name']);
    expect(attached({ contentBase64, mimeType: 'a', type: 'a' })).toEqual(['attachments.0.type']);
    expect(attached({ contentBase64, content: '' })).toEqual(['attachments.0']);
    for (const entry of [null, 1, 'SGk=', []]) expect(attached(entry)).toEqual(['attachments.0']);
    for (const attachments of [1, {}, 'SGk=']) {
      expect(faults({ attachments })).toEqual(['attachments']);
    }
  });

  it('are canonical base64 exactly when encoding what they decode to gives them again', () => {
    const text = fc.stringMatching(/^[A-Za-z0-9+/]{0,7}[A-Za-z0-9+/=]{0,4}$/);
    const strict = new RegExp(canonicalBase64Pattern);
    fc.assert(
      fc.property(fc.oneof(text, fc.base64String()), (base64) => {
        expect(isCanonicalBase64(base64)).toBe(strict.test(base64));
      }),
      { numRuns: repetitions(5_000) },
    );
  });

  it('are 50 at most, and 26,214,400 characters of base64 together: more is too large', () => {
    const file = (size: number): AttachedFile =>
      new AttachedFile(new StoredContent('x', size, 'x'), null, null);
    const bytes = (26_214_400 / 4) * 3;
    const tooLarge = [{ field: 'attachments', tooLarge: true }];
    expect(messageFaults({ attachments: [file(bytes)] })).toEqual([]);
    expect(messageFaults({ attachments: [file(bytes - 3), file(1)] })).toEqual([]);
    expect(messageFaults({ attachments: [file(bytes - 2), file(1)] })).toMatchObject(tooLarge);
    expect(messageFaults({ attachments: [file(bytes + 1)] })).toMatchObject(tooLarge);
    expect(messageFaults({ attachments: Array(50).fill(file(0)) })).toEqual([]);
    expect(messageFaults({ attachments: Array(51).fill(file(0)) })).toMatchObject(tooLarge);
    expect(base64Length(bytes)).toBe(26_214_400);
  });

  it('are told by where their bytes are, to the service alone', () => {
    const stored = new StoredContent('reference', 2, 'sha');
    const { input } = given({ attachments: [{ contentBase64: stored, name: 'a' }] });
    const sent: unknown = JSON.parse(JSON.stringify(input));
    expect(instantiate(GivenMessage, sent)).toEqual(input);
    // The same from a client is no content.
    expect(decode(GivenMessage, { body: sent }).violations).toMatchObject([
      { field: 'attachments.0.contentBase64' },
    ]);
  });
});
