import { describe, expect, it } from '@jest/globals';
import { Base64Lines, base64LinesLength } from './file-holes.js';

const linesOf = (bytes: Buffer, pieceBytes: number): string => {
  const target = Buffer.alloc(base64LinesLength(bytes.length) + 8);
  const lines = new Base64Lines(target, 4);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    lines.write(bytes.subarray(at, at + pieceBytes));
  }
  const end = lines.finish();
  expect(end).toBe(target.length - 4);
  return target.toString('latin1', 4, end);
};

const expected = (bytes: Buffer): string =>
  (bytes.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n');

describe('lines of base64', () => {
  it('are what the bytes are, however many there are and in whatever pieces they come', () => {
    for (let length = 0; length < 250; length++) {
      const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 41 + length) % 256));
      for (const piece of [1, 2, 3, 4, 57, 58, 250]) {
        expect(linesOf(bytes, piece)).toBe(expected(bytes));
      }
    }
  });
});
