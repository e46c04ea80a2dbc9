import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { excessiveCost } from './parse-cost.js';

const base64Head = 'Content-Transfer-Encoding: base64\r\n\r\n';

describe('excessiveCost', () => {
  it.each([
    ['a short message', 'Subject: x\r\n\r\ny'],
    ['a base64 attachment of 20 MB', base64Head + `${'QUJD'.repeat(19)}\r\n`.repeat(260_000)],
    ['nothing', ''],
  ])('lets %s pass', (_what, raw) => {
    expect(excessiveCost(Buffer.from(raw))).toBeNull();
  });

  it.each([
    ['too many lines outside base64', '\n'.repeat(200_000)],
    ['too many lines', base64Head + 'QUJD\n'.repeat(1_600_000)],
    ['too many bytes outside base64', 'a'.repeat(17 * 1024 * 1024)],
    ['too many part delimiters', '--b\n'.repeat(6_000)],
    ['too many part delimiters', `${base64Head}--b\n`.repeat(6_000)],
  ])('refuses %s', (reason, raw) => {
    expect(excessiveCost(Buffer.from(raw))).toBe(reason);
  });
});
