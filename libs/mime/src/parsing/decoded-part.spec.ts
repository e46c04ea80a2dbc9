import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { beginningOf, decodedPiece, type DecodedUpTo } from './decoded-part.js';
import { partBytes, type PartSource } from './part-source.js';

/** All of a part, whose pieces end at some places. */
function decoded(raw: Buffer, ends: readonly number[], encoding: PartSource['encoding']): Buffer {
  const source = { start: 0, end: raw.length, encoding };
  const places = ends.map((place) => place % (raw.length + 1)).sort((a, b) => a - b);
  const found: Buffer[] = [];
  let next: DecodedUpTo | null = beginningOf(source);
  for (const end of [...places, raw.length]) {
    if (next === null) break;
    const piece = decodedPiece(raw.subarray(next.at, end), source, next);
    found.push(piece.bytes);
    next = piece.next;
  }
  return Buffer.concat(found);
}

describe('decodedPiece', () => {
  it('answers what is decoded in one piece, wherever the body is cut and whatever noise it has', () => {
    const texts = fc.constantFrom(
      ...['QUJD', 'Q', 'QQ', '=', '==', '\r\n', '\n', '-_', ' ', '\t', '!', 'é', '\0', '=41', '=4'],
      ...['=\r\n', '= \t\n', 'x'],
    );
    const bodies = fc.array(texts, { maxLength: 30 }).map((all) => Buffer.from(all.join('')));
    const places = fc.array(fc.nat(60), { maxLength: 6 });
    const encodings = fc.constantFrom('base64', 'quoted-printable', null);
    fc.assert(
      fc.property(bodies, places, encodings, (body, at, encoding) => {
        const found = decoded(body, at, encoding);
        const whole = partBytes(body, { start: 0, end: body.length, encoding });
        expect(found.toString('latin1')).toBe(whole.toString('latin1'));
      }),
      { numRuns: repetitions(3_000) },
    );
  });

  it.each([
    ['base64', 'QUJD\r\nRA==\r\nREVG', 'ABCD'],
    ['base64', 'Q-U_J D', 'ABC'],
    ['quoted-printable', 'a=3Db =\r\nc\t \r\nd==41=4', 'a=b c\r\nd=A=4'],
    [null, 'a=3D', 'a=3D'],
  ] as const)('decodes %s: %j is %j', (encoding, body, said) => {
    const raw = Buffer.from(body);
    expect(String(decoded(raw, [3, 5, 9], encoding))).toBe(said);
  });
});
