import { Buffer } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { decodedPart } from './decoded-part.js';
import { partBytes } from './part-source.js';

async function* cut(raw: Buffer, at: readonly number[]): AsyncGenerator<Buffer, void> {
  const places = at.map((place) => place % (raw.length + 1)).sort((a, b) => a - b);
  for (const [n, place] of [0, ...places].entries()) {
    yield await Promise.resolve(raw.subarray(place, places[n]));
  }
}

describe('decodedPart', () => {
  it('answers what is decoded in one piece, wherever the body is cut and whatever noise it has', async () => {
    const texts = fc.constantFrom(
      ...['QUJD', 'Q', 'QQ', '=', '==', '\r\n', '\n', '-_', ' ', '\t', '!', 'é', '\0', '=41', '=4'],
      ...['=\r\n', '= \t\n', 'x'],
    );
    const bodies = fc.array(texts, { maxLength: 30 }).map((all) => Buffer.from(all.join('')));
    const places = fc.array(fc.nat(60), { maxLength: 6 });
    const encodings = fc.constantFrom('base64', 'quoted-printable', null);
    await fc.assert(
      fc.asyncProperty(bodies, places, encodings, async (body, at, encoding) => {
        const found = await buffer(decodedPart(cut(body, at), encoding));
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
  ] as const)('decodes %s: %j is %j', async (encoding, body, decoded) => {
    const raw = Buffer.from(body);
    expect(String(await buffer(decodedPart(cut(raw, [3, 5, 9]), encoding)))).toBe(decoded);
  });
});
