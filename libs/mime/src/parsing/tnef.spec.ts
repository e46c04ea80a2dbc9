import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { growthOf } from '@postroom/testing';
import { beginningOf, decodedPiece } from './decoded-part.js';
import { parseMessage } from './parse-message.js';
import { readTnef } from './tnef.js';

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const filled = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
const attribute = (level: number, id: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.of(level), number(id), number(data.length), data, Buffer.alloc(2)]);
const head = Buffer.concat([number(0x223e9f78), Buffer.alloc(2)]);
const property = (type: number, id: number, value: Buffer, named = Buffer.alloc(0)): Buffer => {
  const isCounted = [0x0d, 0x1e, 0x1f, 0x102].includes(type & 0xfff);
  const data = isCounted ? [number(1), number(value.length), filled(value)] : [filled(value)];
  return Buffer.concat([number(id * 0x10000 + type), named, ...data]);
};
const list = (...all: Buffer[]): Buffer => Buffer.concat([number(all.length), ...all]);
const utf16 = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le');

const page = attribute(1, 0x69007, Buffer.concat([number(1252), number(0)]));
const body = attribute(1, 0x2800c, Buffer.from('Gr\xfc\xdfe\0', 'latin1'));
const newFile = attribute(2, 0x69002, Buffer.alloc(14));
const photo = Buffer.concat([Buffer.from('ffd8ffe000104a46', 'hex'), Buffer.alloc(50_000, 1)]);
const rich = attribute(
  1,
  0x69003,
  list(
    property(0x0003, 0x0e06, number(1)),
    property(
      0x001f,
      0x8001,
      utf16('x'),
      Buffer.concat([Buffer.alloc(16), number(1), number(6), filled(utf16('ab'))]),
    ),
    property(0x001f, 0x1000, utf16('Hello 🙂')),
    property(0x0102, 0x1013, Buffer.from('<p>Hello <b>there</b></p>')),
  ),
);
const file = Buffer.concat([
  newFile,
  attribute(2, 0x18010, Buffer.from('OLD~1.PNG\0')),
  attribute(2, 0x6800f, photo),
  attribute(2, 0x69005, list(property(0x001f, 0x3707, utf16('Übersicht.jpg')))),
]);
const embedded = Buffer.concat([
  newFile,
  attribute(
    2,
    0x69005,
    list(
      property(0x001e, 0x3704, Buffer.from('a.txt\0')),
      property(0x000d, 0x3701, Buffer.concat([Buffer.alloc(16), Buffer.from('inner')])),
    ),
  ),
]);

const message = (tnef: Buffer, text = ''): Buffer =>
  Buffer.from(
    [
      ...['From: a@x.test', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b', ''],
      ...['--b', 'Content-Type: text/plain', '', text, '--b'],
      'Content-Type: application/ms-tnef; name="winmail.dat"',
      ...['Content-Transfer-Encoding: base64', ''],
      ...(tnef.toString('base64').match(/.{1,76}/g) ?? []),
      ...['--b--', ''],
    ].join('\r\n'),
  );

async function unpacked(raw: Buffer) {
  const { text, html, attachments } = await parseMessage(raw);
  const files: Record<string, string> = {};
  for (const { filename, mimeType, size, source } of attachments) {
    const pieces: Buffer[] = [];
    for (let next = source ? beginningOf(source) : null; source && next;) {
      const piece = raw.subarray(next.at, Math.min(next.at + 1000, source.end));
      const found = decodedPiece(piece, source, next);
      pieces.push(found.bytes);
      next = found.next;
    }
    const bytes = Buffer.concat(pieces);
    expect(bytes.length).toBe(size);
    files[`${filename} ${mimeType}`] =
      bytes.length > 20 ? `${bytes.length} bytes` : bytes.toString();
    if (filename === 'Übersicht.jpg') expect(bytes.equals(photo)).toBe(true);
  }
  return { text: text?.trim() ?? null, html, files };
}

const shared = Buffer.from('eJ8+IgEABQ==', 'base64');
const kept = (length: number) => ({ 'winmail.dat application/octet-stream': `${length} bytes` });

describe('winmail.dat', () => {
  it.each([
    ['a text in a code page', [page, body], '', { text: 'Grüße', html: null, files: {} }],
    [
      'a text and a page',
      [rich],
      '',
      { text: 'Hello 🙂', html: '<p>Hello <b>there</b></p>', files: {} },
    ],
    [
      'files',
      [page, file, embedded],
      'Own',
      {
        text: 'Own',
        html: null,
        files: { 'Übersicht.jpg image/jpeg': '50008 bytes', 'a.txt text/plain': 'inner' },
      },
    ],
    ['a text beside one of its own', [rich], 'Own', { text: 'Own', html: null, files: {} }],
    [
      'a file that is cut short',
      [body, file.subarray(0, 900)],
      '',
      { text: 'Grüße', html: null, files: kept(head.length + body.length + 900) },
    ],
    [
      'nothing',
      [rich.subarray(0, 9)],
      'Own',
      {
        text: 'Own',
        html: null,
        files: { 'winmail.dat application/octet-stream': expect.any(String) },
      },
    ],
  ])('is unpacked: %s', async (_what, attributes, text, expected) => {
    expect(await unpacked(message(Buffer.concat([head, ...attributes]), text))).toEqual(expected);
  });

  it('stays a file where there is nothing in it', async () => {
    const { files } = await unpacked(message(shared));
    expect(Object.keys(files)).toEqual(['winmail.dat application/octet-stream']);
  });

  it.each([
    ['not one', Buffer.from('hello, world')],
    ['too short', shared.subarray(0, 5)],
  ])('is none where it is %s', (_what, bytes) => {
    expect(readTnef(bytes)).toBeNull();
  });

  it('ends at the thousandth file, and where a code page has no bytes', () => {
    const small = Buffer.concat([newFile, attribute(2, 0x6800f, Buffer.of(1))]);
    const many = readTnef(Buffer.concat([head, ...Array.from({ length: 2_000 }, () => small)]));
    expect([many?.files.length, many?.isWhole]).toEqual([1_000, false]);
    const empty = property(0x001e, 0x3fde, Buffer.alloc(0));
    const page = list(property(0x0102, 0x1013, Buffer.from('<p>A</p>')), empty);
    expect(readTnef(Buffer.concat([head, attribute(1, 0x69003, page)]))?.html).toBe('<p>A</p>');
  });

  it.each([
    [
      'attributes',
      (size: number) =>
        Array.from({ length: size / 11 }, () => attribute(2, 0x69002, Buffer.alloc(0))),
    ],
    [
      'a count that is none',
      (size: number) => [
        attribute(1, 0x69003, Buffer.concat([number(2 ** 32 - 1), Buffer.alloc(size)])),
      ],
    ],
    [
      'values of no bytes',
      (size: number) => [
        attribute(
          1,
          0x69003,
          Buffer.concat([number(1), number(0x3701_1102), number(2 ** 32 - 1), Buffer.alloc(size)]),
        ),
      ],
    ],
  ])('costs no more than its length: %s', (_what, hostile) => {
    const run = (size: number): void => {
      readTnef(Buffer.concat([head, ...hostile(size)]));
    };
    expect(growthOf(run, 1024 * 1024).ratio).toBeLessThan(6);
  });
});
