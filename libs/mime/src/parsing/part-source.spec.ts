import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { parseMessage } from './parse-message.js';
import { partBytes, partSize } from './part-source.js';

/** The bytes of each attachment of a message. */
const filesOf = async (raw: Buffer): Promise<Buffer[]> => {
  const { attachments } = await parseMessage(raw);
  return attachments.map(({ source, size }) => {
    const bytes = source ? partBytes(raw, source) : Buffer.from('nowhere');
    expect(bytes.length).toBe(size);
    return bytes;
  });
};

interface File {
  readonly bytes: Buffer;
  readonly encoding: 'base64' | 'quoted-printable' | '8bit';
}

const quoted = (bytes: Buffer, end: string): string =>
  Array.from(bytes, (byte) => `=${byte.toString(16).padStart(2, '0')}`)
    .join('')
    .replace(/(.{72})/g, `$1=${end}`);

function encoded({ bytes, encoding }: File, end: string): Buffer {
  if (encoding === '8bit') return bytes;
  if (encoding === 'quoted-printable') return Buffer.from(quoted(bytes, end));
  return Buffer.from(bytes.toString('base64').replace(/(.{76})/g, `$1${end}`));
}

/** A message of files, some of them in a multipart of their own. */
function written(groups: readonly (readonly File[])[], end: string): Buffer {
  const lines = (...all: string[]): Buffer => Buffer.from(all.map((line) => line + end).join(''));
  const pieces = [
    lines('MIME-Version: 1.0', 'Content-Type: multipart/mixed;', ' boundary="o u"', ''),
  ];
  for (const [n, files] of groups.entries()) {
    pieces.push(lines('--o u', `Content-Type: multipart/mixed; boundary=in${n}`, '', 'preamble'));
    for (const file of files) {
      const type = 'Content-Type: application/octet-stream';
      pieces.push(lines(`--in${n}`, type, `Content-Transfer-Encoding: ${file.encoding}`, ''));
      pieces.push(encoded(file, end), Buffer.from(end));
    }
    pieces.push(lines(`--in${n}--`, 'epilogue'));
  }
  pieces.push(lines('--o u--'));
  return Buffer.concat(pieces);
}

const lineOfText = fc.constantFrom('--', '-- ', '--in', '--o', '----', 'From x', '', 'text', '>');
const text = fc.array(lineOfText, { minLength: 1, maxLength: 9 }).map((all) => all.join('\r\n'));
const files = fc.oneof(
  fc.record({
    bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    encoding: fc.constantFrom('base64' as const, 'quoted-printable' as const),
  }),
  fc.record({
    bytes: text.map((given) => Buffer.from(`x${given}x`)),
    encoding: fc.constant('8bit' as const),
  }),
);

describe('the source of an attachment', () => {
  it('has the bytes that were sent, whatever stands around them', async () => {
    const groups = fc.array(fc.array(files, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(groups, fc.constantFrom('\n', '\r\n'), async (all, end) => {
        const found = await filesOf(written(all, end));
        expect(found).toEqual(all.flat().map(({ bytes }) => bytes));
      }),
    );
  });

  it('is the whole body of a message that is a file itself', async () => {
    const raw = Buffer.from(
      'Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nQUJD\r\n--\r\nREVG\r\n',
    );
    expect(await filesOf(raw)).toEqual([Buffer.from('ABCDEF')]);
  });

  it('is a forwarded message with the files in it', async () => {
    const inner =
      'Subject: in\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n' +
      'Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nQUJD\r\n--b--\r\n';
    const raw = Buffer.from(
      'Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: message/rfc822\r\n' +
        `\r\n${inner}\r\n--a--\r\n`,
    );
    expect(await filesOf(raw)).toEqual([Buffer.from(inner)]);
  });

  it('is found in a large file that is not parsed whole', async () => {
    const bytes = Buffer.alloc(3_000_000, 'abc');
    const [found] = await filesOf(written([[{ bytes, encoding: 'base64' }]], '\r\n'));
    expect(found?.equals(bytes)).toBe(true);
  });
});

describe('partSize', () => {
  it('counts what partBytes answers, whatever noise there is', () => {
    const pieces = fc.constantFrom('QUJD', 'Q', 'QQ', '=', '==', '\r\n', '-_', ' ', '!', 'é', '\0');
    const encodings = fc.constantFrom('base64', 'quoted-printable', null);
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 20 }),
        encodings,
        fc.nat(9),
        (parts, encoding, n) => {
          const raw = Buffer.from(parts.join(''));
          // Behind the beginning, and before the end or beyond it.
          const start = Math.min(n, raw.length);
          const source = { start, end: Math.max(start, raw.length + 4 - n), encoding } as const;
          expect(partSize(raw, source)).toBe(partBytes(raw, source).length);
        },
      ),
      { numRuns: repetitions(2_000) },
    );
  });
});
