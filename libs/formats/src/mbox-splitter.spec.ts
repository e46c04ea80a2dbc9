import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MboxSplitter, NoMbox, type SplitMessage } from './mbox-splitter.js';

const bytesMax = 10_000;
const separator = 'From camille@x.test Fri Jul  8 12:08:34 2011';

/** Splits a file whose bytes come in pieces of these lengths, over and over. */
function split(file: string | Buffer, lengths: readonly number[] = [65_536]): (string | null)[] {
  const bytes = Buffer.from(file as string, 'latin1');
  const splitter = new MboxSplitter(bytesMax);
  const found: SplitMessage[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    found.push(...splitter.push(bytes.subarray(at, at + length)));
    at += length;
  }
  found.push(...splitter.end());
  return found.map(({ bytes }) => bytes?.toString('latin1') ?? null);
}

/** As the dialect mboxrd writes a message. */
const written = (message: string, end: string): string =>
  `${separator}${end}${message.replace(/^(>*From )/gm, '>$1')}${end}`;

const lines = fc.oneof(
  fc.constantFrom('>From ', 'From here on', '>>From x', 'From', '>', '', 'Fro', separator),
  fc.string({ maxLength: 12 }).map((text) => text.replace(/[^\x20-\x7e]/g, '?')),
);
const endings = fc.constantFrom('\n', '\r\n');
const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe('MboxSplitter', () => {
  it('gives back every message that mboxrd wrote, byte for byte, however its bytes come', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(lines, { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
        endings,
        pieces,
        (all, end, lengths) => {
          const messages = all.map((one) => `Subject: x${end}${one.join(end)}${end}`);
          const file = messages.map((message) => written(message, end)).join('');
          expect(split(file, lengths)).toEqual(messages);
        },
      ),
    );
  });

  it('finds the same in any bytes, however they come', () => {
    const parts = fc.constantFrom(
      ...['\n', '\r\n', '\r', '>', 'From ', separator, 'a', '\0', '\xff'],
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), pieces, (all, lengths) => {
        const file = `${separator}\n${all.join('')}`;
        expect(split(file, lengths)).toEqual(split(file));
      }),
    );
  });

  it.each([
    ['the mboxo quote', '>From me', 'From me'],
    ['mboxrd’s quote of a quote', '>>From me', '>From me'],
    ['an unquoted line without a date', 'From me to you', 'From me to you'],
    ['a date in the middle of a paragraph', 'x\nFrom 12:30 in 2024 on', 'x\nFrom 12:30 in 2024 on'],
    ['other quotes', '> From me\n>from', '> From me\n>from'],
  ])('takes %s for text', (_, body, shown) => {
    const end = `\n\n${separator}\nSubject: b\n\nb\n`;
    expect(split(`${separator}\nSubject: a\n\n${body}${end}`)).toEqual([
      `Subject: a\n\n${shown}\n`,
      'Subject: b\n\nb\n',
    ]);
  });

  it.each([
    'From - Sat Jan 03 01:05:34 1996',
    'From 1234567890@xxx Mon Apr 01 00:00:00 +0000 2024',
    'From MAILER-DAEMON Fri Jul  8 12:08:34 MET DST 2011',
    'From camille@x.test Fri, 8 Jul 2011 12:08:34 +0200',
    'From ???@??? Tue Aug 01 10:11:12 2000',
    'From camille@x.test 2011-07-08 12:08:34',
  ])('knows the separator %s', (line) => {
    expect(split(`${line}\na: 1\n\nx\n\n${line}\na: 2\n`)).toEqual(['a: 1\n\nx\n', 'a: 2\n']);
  });

  it('knows a separator without a date by the header that follows it', () => {
    const file = 'From camille@x.test\na: 1\n\nx\n\nFrom camille@x.test\nb : 2\n\ny\n';
    expect(split(file)).toEqual(['a: 1\n\nx\n', 'b : 2\n\ny\n']);
    expect(split(file, [1])).toEqual(['a: 1\n\nx\n', 'b : 2\n\ny\n']);
  });

  it('knows a separator that no empty line stands before', () => {
    expect(split(`${separator}\na: 1\n\nx\n${separator}\na: 2\n`)).toEqual([
      'a: 1\n\nx\n',
      'a: 2\n',
    ]);
  });

  it.each([separator, 'From camille@x.test'])(
    'knows the separator %s before a head of one line that the file ends in',
    (last) => {
      const file = `${separator}\na: 1\n\nx\n\n${last}\na: 2`;
      expect(split(file)).toEqual(['a: 1\n\nx\n', 'a: 2']);
      expect(split(file, [1])).toEqual(['a: 1\n\nx\n', 'a: 2']);
    },
  );

  it('loses nothing to a separator that is broken', () => {
    expect(split(`${separator}\na: 1\n\nx\n\nFrom\nFrom nobody\n\na: 2\n`)).toEqual([
      'a: 1\n\nx\n\nFrom\nFrom nobody\n\na: 2\n',
    ]);
  });

  it.each(['Subject: x\n\nx\n', ' \n', `>${separator}\n`, 'From nobody\n\nSubject: x\n', '\0'])(
    'refuses a file that does not begin as an mbox: %j',
    (file) => {
      expect(() => split(file)).toThrow(NoMbox);
      expect(() => split(file, [1])).toThrow(NoMbox);
    },
  );

  it('finds nothing in an empty file, nor between separators with nothing between', () => {
    expect(split('')).toEqual([]);
    expect(split(`\n\r\n${separator}\n${separator}\n`)).toEqual([]);
  });

  it('does not keep a message that is too large, and goes on after it', () => {
    const large = 'x'.repeat(bytesMax);
    const file = `${separator}\na: 1\n\n${large}\n\n${separator}\na: 2\n`;
    expect(split(file)).toEqual([null, 'a: 2\n']);
    expect(split(file, [7])).toEqual([null, 'a: 2\n']);
  });

  const unquoted = `x\n\n${separator}\nSubject: y\n\nFrom us\n`;
  const claiming = (length: number) => `a: 1\nContent-Length: ${String(length)}\n\n${unquoted}`;
  const right = unquoted.length;

  it.each([
    ['is right', [claiming(right)]],
    [
      'is right, under another spelling',
      [claiming(right).replace('Content-Length: ', 'CONTENT-LENGTH : ')],
    ],
    ['is too short', claiming(3).split(`\n${separator}\n`)],
    ['is too long', claiming(right + 20).split(`\n${separator}\n`)],
    [
      'is that of a larger message than there may be',
      claiming(10 * bytesMax).split(`\n${separator}\n`),
    ],
  ])('takes the length that a message gives where it %s', (_, messages) => {
    const file = `${separator}\n${messages.join(`\n${separator}\n`)}\n${separator}\nb: 2\n\nz\n`;
    for (const lengths of [[65_536], [1], [7, 30]]) {
      expect(split(file, lengths)).toEqual([...messages, 'b: 2\n\nz\n']);
    }
  });

  it('loses no message to a length that reaches over many', () => {
    const others = Array.from({ length: 40 }, (_, i) => `n: ${String(i)}\n\n${'y'.repeat(500)}\n`);
    const messages = [`a: 1\nContent-Length: ${String(bytesMax - 100)}\n\nx\n`, ...others];
    const file = messages.map((one) => `${separator}\n${one}\n`).join('');
    expect(split(file, [100])).toEqual(messages);
  });

  it('tells the line above each message', () => {
    const found = new MboxSplitter(bytesMax);
    found.push(
      Buffer.from(`From a Tue Jun  2 10:00:00 2020\na: 1\n\nx\n\nFrom b@x.test\r\na: 2\n`),
    );
    expect(found.end().map(({ separator: line }) => line)).toEqual(['From b@x.test']);
  });

  it('takes time in proportion to a file without a line break', () => {
    const splitter = new MboxSplitter(bytesMax);
    splitter.push(Buffer.from(`${separator}\n>`));
    const piece = Buffer.alloc(65_536, '>');
    for (let turn = 0; turn < 4_000; turn++) splitter.push(piece);
    expect(splitter.end()).toEqual([{ bytes: null, separator }]);
  });
});
