import { Buffer } from 'node:buffer';
import { afterAll, describe, expect, it } from '@jest/globals';
import { longestTurn } from '@postroom/testing';
import { isFullRun } from '@postroom/testing/repetitions';
import { MessageParser } from './message-parser.js';

const mebi = 1024 * 1024;
/** The size limit of a message, and the bytes that most of its parts have; a quick check reads a part of it. */
const [largest, long, longHtml] = isFullRun()
  ? [50 * mebi, mebi, 4 * mebi]
  : [5 * mebi, mebi / 4, mebi / 4];
const head = 'From: a@b.test\r\nSubject: hostile\r\nMIME-Version: 1.0\r\n';
const base64 = 'Content-Transfer-Encoding: base64\r\n\r\n';
const mixed = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
const html = 'Content-Type: text/html; charset=utf-8\r\n\r\n';
const plain = 'Content-Transfer-Encoding: 7bit\r\n';
const textPart = '--b\r\nContent-Type: text/plain\r\n\r\n';
const filePart =
  '--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n';
const mixedIn = Buffer.from(`\r\n--b\r\n${html}<p>x</p>\r\n--b--`);
const anyBytes = Buffer.from(
  Array.from({ length: long }, (_, index) => (index * index * 7919) % 251),
);
const base64Line = `${'QUJD'.repeat(19)}\r\n`;

const filled = (start: string, unit: string, bytes: number) =>
  Buffer.concat([Buffer.from(head + start), Buffer.alloc(bytes, unit)]);

const filledField = (field: string, unit: string) =>
  Buffer.concat([Buffer.from(field), Buffer.alloc(long / 7, unit), Buffer.from('\r\n')]);

function nested(levels: number): Buffer {
  const level = (index: number) =>
    `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`;
  return Buffer.from(head + Array.from({ length: levels }, (_, index) => level(index)).join(''));
}

function forwarded(levels: number): Buffer {
  return Buffer.from(
    `${head}Content-Type: message/rfc822\r\n\r\n`.repeat(levels) + `${head}\r\ninnermost\r\n`,
  );
}

/** Shown by the fallback: beyond what one parse may cost, or refused by the MIME parser. */
const refused: [string, () => Buffer][] = [
  ['nesting without end', () => nested(20_000)],
  ['nesting beyond the limit', () => nested(60)],
  ['hundreds of thousands of headers', () => filled('', 'X-A: b\r\n', 8 * long)],
  ['one header of 20 MB', () => filled('X-A: ', 'a', 20 * mebi)],
  ['folds without end', () => filled('X-A: b\r\n', ' a\r\n', 4 * mebi)],
  ['100,000 parts', () => filled(mixed, `${textPart}x\r\n`, 4 * mebi)],
  ['10,000 empty parts', () => filled(mixed, '--b\r\n', 50_000)],
  ['parts of many lines', () => filled(mixed, `${textPart}${'x\r\n'.repeat(25_000)}`, 4 * mebi)],
  ['parts of many bytes', () => filled(mixed, `${textPart}${'x'.repeat(mebi)}\r\n`, 20 * mebi)],
];

/** Parsed after all, within the bounds. */
const endured: [string, () => Buffer][] = [
  ['a line without end below its head', () => filled('', 'a', largest)],
  ['odd lines below its head', () => filled('', 'a b: c\r\n', long * 0.4)],
  ['flowed lines', () => filled('Content-Type: text/plain; format=flowed\r\n\r\n', '> \r\n', long)],
  [
    'a file of the largest size',
    () => filled(`Content-Type: image/png\r\n${base64}`, base64Line, largest),
  ],
  ['a base64 text of the largest size', () => filled(base64, base64Line, largest)],
  ['base64 in short lines', () => filled(base64, 'QUJD\n', largest)],
  ['text that says base64 too', () => filled(`${plain}${base64}`, base64Line, largest)],
  ['line ends of the largest size', () => filled('\r\n', '\r\n', largest)],
  ['text of the largest size', () => filled('\r\n', 'lorem ipsum dolor sit amet\r\n', largest)],
  ['one line of the largest size', () => filled('\r\n', 'lorem ipsum ', largest)],
  ['many quoted-printable files', () => filled(mixed, `${filePart}x\r\n`, long * 0.16)],
  [
    'texts and HTML to be mixed',
    () => Buffer.concat([filled(mixed, `${textPart}${'&'.repeat(1000)}\r\n`, long), mixedIn]),
  ],
  ['messages within messages', () => forwarded(500)],
  ['a boundary that never comes', () => filled(mixed, '--bb\r\n', 10_000)],
  ['an empty boundary', () => filled(mixed.replace('b\r', '""\r'), '--\r\n', 10_000)],
  ['recipients without end', () => filled('To: ', 'a@b.test, ', long * 0.48)],
  ['groups within groups', () => filled('To: ', 'a:', long * 0.4)],
  // Every kind of address header, since each is read.
  ...['"', '"\\', '\\"', ',"', '"a" ', '"a\\"b', ' ."', '"@'].map(
    (unit): [string, () => Buffer] => [
      `address headers of quotes: ${JSON.stringify(unit)}`,
      () =>
        Buffer.concat([
          Buffer.from(head),
          ...['To: ', 'Cc: ', 'Bcc: '].map((field) => filledField(field, unit)),
        ]),
    ],
  ),
  ['brackets without end', () => filled('To: ', '<', 500_000)],
  ['references without end', () => filled('References: ', '<a@b> ', 500_000)],
  ['comments without end', () => filled('Date: ', '(', 500_000)],
  ['encoded words without end', () => filled('Cc: ', '=?utf-8?q?a?= ', long * 0.48)],
  [
    'a lying charset',
    () => filled('Content-Type: text/plain; charset=utf-16\r\n\r\n', '\xd8\0', mebi),
  ],
  [
    'a charset that is none',
    () => filled('Content-Type: text/plain; charset="\0%s"\r\n\r\n', 'é', mebi),
  ],
  ['HTML nested without end', () => filled(html, '<table><tr><td>', longHtml)],
  ['HTML that never closes a tag', () => filled(html, '<', longHtml)],
  ['HTML of entities', () => filled(html, '"&<&amp', longHtml)],
  ['HTML of styles', () => filled(html, '<p style="color:red;margin:1px">x', longHtml)],
  [
    'a body of marks',
    () => filled('Content-Type: text/plain; charset=utf-8\r\n\r\na', '\u0301\u0316', mebi),
  ],
  [
    'a body of sound marks',
    () => filled('Content-Type: text/plain; charset=utf-8\r\n\r\na', '\uff9e\u0316', mebi),
  ],
  ['a body of any bytes', () => Buffer.concat([Buffer.from(`${head}\r\n`), anyBytes])],
];

describe('hostile messages', () => {
  const reasons: unknown[] = [];
  const parser = new MessageParser({
    warn: (_message, detail) => {
      reasons.push(detail.reason);
    },
    threads: 1,
    timeLimitMs: 50_000,
  });

  afterAll(() => parser.close());

  async function once(raw: Buffer) {
    const rssBefore = process.memoryUsage().rss;
    let rssPeak = rssBefore;
    const sampling = setInterval(() => {
      rssPeak = Math.max(rssPeak, process.memoryUsage().rss);
    }, 5);
    const turns = longestTurn();
    const { cpuMs, ...message } = await parser.parse(raw, 'tnt_1');
    const turnMs = turns.stop();
    clearInterval(sampling);
    return { message, cpuMs, turnMs, rssMebi: (rssPeak - rssBefore) / mebi };
  }

  /** The process collects garbage of other specs too: a turn that is long because of the message is so each time. */
  async function timed(raw: Buffer) {
    let found = await once(raw);
    for (let tries = 1; tries < 3 && found.turnMs >= 50; tries++) {
      reasons.length = 0;
      found = await once(raw);
    }
    return found;
  }

  // CPU, for a thread that goes behind others waits for those of other specs. The clock is kept by
  // the time limit, which message-parser.spec.ts tries.
  it.each(refused)('are shown by the fallback in time: %s', async (_what, build) => {
    const { message, cpuMs, turnMs, rssMebi } = await timed(build());
    expect(message).toMatchObject({
      from: { email: 'a@b.test' },
      subject: 'hostile',
      parsed: false,
    });
    expect(cpuMs).toBeLessThan(5_000);
    expect(turnMs).toBeLessThan(50);
    // Twice the promised 256 MB: the process is shared.
    expect(rssMebi).toBeLessThan(512);
    expect(reasons.splice(0)).toHaveLength(1);
  });

  it.each(endured)('are parsed in time: %s', async (_what, build) => {
    const { message, cpuMs, turnMs, rssMebi } = await timed(build());
    expect({ parsed: message.parsed, reasons: reasons.splice(0) }).toEqual({
      parsed: true,
      reasons: [],
    });
    expect(cpuMs).toBeLessThan(5_000);
    expect(turnMs).toBeLessThan(50);
    // Twice the promised 256 MB: the process is shared.
    expect(rssMebi).toBeLessThan(512);
    expect(JSON.stringify(message).length).toBeLessThan(16 * mebi);
  });

  it('leave the parser ready for the next message', async () => {
    const raw = Buffer.from('Subject: next\r\n\r\nHello\r\n');
    expect(await parser.parse(raw, 'tnt_1')).toMatchObject({ subject: 'next', parsed: true });
  });
});
