import { describe, expect, it } from '@jest/globals';
import { maskedHead } from './masked-head.js';

const masked = (head: string): string | null =>
  maskedHead(Buffer.from(head, 'latin1'), ['ann@x.test', 'é@x.test'])?.toString('latin1') ?? null;

describe('header fields that name a person', () => {
  it.each([
    ['To: Ann <ANN@x.test>\r\nB: c\r\n\r\n', 'To: xxx xxxxxxxxxxxx\r\nB: c\r\n\r\n'],
    [
      'A: b\nCc: c@x.test,\n\tann@x.test\n\nann@x.test',
      'A: b\nCc: xxxxxxxxx\n\txxxxxxxxxx\n\nann@x.test',
    ],
    ['A: b\r\nTo: ann@x.test', 'A: b\r\nTo: xxxxxxxxxx'],
    ['To: \xc3\xa9@x.test\n\n', 'To: xxxxxxxxx\n\n'],
    ['no colon ann@x.test\n\n', 'xx xxxxx xxxxxxxxxx\n\n'],
    ['To: c@x.test\r\n\r\nFrom: ann@x.test\r\n', null],
    ['', null],
  ])('are overwritten at their length: %j', (head, expected) => {
    expect(masked(head)).toBe(expected);
  });
});
