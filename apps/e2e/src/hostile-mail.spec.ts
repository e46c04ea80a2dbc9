import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { SmtpDialogue } from './smtp-dialogue.js';
import { pageOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const lines = (...all: readonly string[]): string => all.join('\r\n');
const head = ['From: a@b.example', 'Subject: Hostile', 'MIME-Version: 1.0'];

/** One level of multipart within another. */
function nested(depth: number): string {
  const open = Array.from({ length: depth }, (_, i) =>
    lines(`Content-Type: multipart/mixed; boundary="b${i}"`, '', `--b${i}`, ''),
  );
  return lines(...head, open.join('') + lines('Content-Type: text/plain', '', 'deep'));
}

const parts = (count: number, part: string): string =>
  lines(
    ...head,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...Array.from({ length: count }, () => `--b\r\n${part}`),
    '--b--',
  );

const forwarded = (depth: number): string =>
  `${lines(...head, '')}${'Content-Type: message/rfc822\r\n\r\n'.repeat(depth)}Subject: inner\r\n\r\nx`;

/** Every message that arrives is stored and shown, however malformed. */
const messages: readonly (readonly [string, () => string | Buffer])[] = [
  ['nothing at all', () => ''],
  ['one line end', () => '\r\n'],
  ['no headers', () => lines('', 'Only a body.')],
  ['no body', () => lines(...head)],
  ['a header without a colon', () => lines('Nonsense', ...head, '', 'x')],
  ['a line that is folded from the start', () => lines(' folded', ...head, '', 'x')],
  ['nesting of 20 levels', () => nested(20)],
  ['nesting of 5 000 levels', () => nested(5_000)],
  ['messages in messages, 5 000 deep', () => forwarded(5_000)],
  [
    '300 000 headers',
    () => `${Array.from({ length: 300_000 }, (_, i) => `X-${i}: a`).join('\r\n')}\r\n\r\nx`,
  ],
  ['a header of 5 MB', () => lines(...head, `X-Long: ${'a'.repeat(5_000_000)}`, '', 'x')],
  ['a subject of 1 MB', () => lines(`Subject: ${'é'.repeat(500_000)}`, '', 'x')],
  ['100 000 recipients', () => lines(...head, `To: ${'a@b.example, '.repeat(100_000)}`, '', 'x')],
  ['100 000 references', () => lines(...head, `References: ${'<a@b> '.repeat(100_000)}`, '', 'x')],
  ['50 000 parts', () => parts(50_000, '\r\nx\r\n')],
  ['20 000 files', () => parts(20_000, 'Content-Disposition: attachment; filename=a\r\n\r\nx\r\n')],
  [
    'a boundary that never comes',
    () => lines(...head, 'Content-Type: multipart/mixed; boundary=b', '', 'x'),
  ],
  [
    'an empty boundary',
    () => lines(...head, 'Content-Type: multipart/mixed; boundary=""', '', '--', 'x'),
  ],
  [
    'a boundary of 100 000 characters',
    () => lines(...head, `Content-Type: multipart/mixed; boundary=${'b'.repeat(100_000)}`, '', 'x'),
  ],
  [
    'a transfer encoding that is none',
    () => lines(...head, 'Content-Transfer-Encoding: nonsense', '', 'x'),
  ],
  [
    'base64 that is none',
    () => lines(...head, 'Content-Transfer-Encoding: base64', '', '!!!=not=base64'),
  ],
  [
    'quoted-printable that is none',
    () => lines(...head, 'Content-Transfer-Encoding: quoted-printable', '', '=ZZ=\r\n='),
  ],
  [
    'a charset that is none',
    () => lines(...head, 'Content-Type: text/plain; charset=klingon', '', 'x'),
  ],
  [
    'a charset that lies',
    () =>
      Buffer.concat([
        Buffer.from(lines(...head, 'Content-Type: text/plain; charset=utf-8', '', '')),
        Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0x41]),
      ]),
  ],
  [
    'NUL bytes',
    () => lines('Subject: a\u0000b', 'From: "\u0000" <a\u0000@b.example>', '', 'x\u0000y'),
  ],
  [
    'encoded NULs and lone surrogates',
    () =>
      lines(
        'Subject: =?utf-8?B?AO2ggA==?=',
        'Content-Type: text/plain; charset=utf-7',
        '',
        '+2AA-',
      ),
  ],
  ['noise', () => Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * i * 31 + i) % 256))],
  ['encoded words without end', () => lines(`Subject: ${'=?utf-8?Q?'.repeat(50_000)}`, '', 'x')],
  [
    'comments in an address, 50 000 deep',
    () => lines(`From: ${'('.repeat(50_000)}a@b.example`, 'Subject: Hostile', '', 'x'),
  ],
  ['a date that is none', () => lines(...head, 'Date: Fri, 99 Foo 99999 99:99:99 +9999', '', 'x')],
  [
    'HTML nested 50 000 deep',
    () => lines(...head, 'Content-Type: text/html', '', '<div>'.repeat(50_000)),
  ],
  [
    'HTML that is not closed',
    () => lines(...head, 'Content-Type: text/html', '', `<a href="${'<'.repeat(500_000)}`),
  ],
  ['5 MB in one line', () => lines(...head, '', 'x'.repeat(5_000_000))],
];

describe('hostile mail', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
  });

  const count = async (): Promise<number> => {
    let messageCount = 0;
    for (let token: string | null = ''; token !== null;) {
      const values: Record<string, string | number> = { mailbox, limit: 100 };
      const page = pageOf(
        await api.get('/v1/conversations', {
          ...values,
          ...(token !== '' && { pageToken: token }),
        }),
      );
      for (const item of page.conversations) messageCount += item.messageCount;
      token = page.nextPageToken;
    }
    return messageCount;
  };

  /** Reads the list repeatedly until a promise has settled; throws when it is not served. */
  const watch = async (work: Promise<unknown>): Promise<void> => {
    const ended = Symbol('ended');
    const end = work.then(
      () => ended,
      () => ended,
    );
    do {
      const answer = await api.get('/v1/conversations', { mailbox, limit: 1 });
      if (answer.status !== 200) throw new Error(`Not served any more: ${answer.status}`);
    } while ((await Promise.race([end, sleep(10)])) !== ended);
  };

  it('all at once is kept or put off, and others are served meanwhile', async () => {
    const before = await count();
    const raws = messages.map(([, make]) => Buffer.from(make()));
    const codes = Promise.all(raws.map((raw) => SmtpDialogue.offer(place.product, mailbox, raw)));
    await watch(codes);
    const kept = (await codes).filter((code) => code === 250);
    expect((await codes).filter((code) => code !== 250 && Math.floor(code / 100) !== 4)).toEqual(
      [],
    );
    expect(kept.length).toBeGreaterThan(0);
    expect(await count()).toBeLessThanOrEqual(before + kept.length);
  });
});
