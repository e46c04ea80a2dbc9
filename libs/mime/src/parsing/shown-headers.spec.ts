import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shownHeaders } from './shown-headers.js';

const bounds = { isWhole: true, fieldsMax: 3, charactersMax: 10 };
const shown = (raw: string | Buffer, over: Partial<typeof bounds> = {}) =>
  shownHeaders(Buffer.from(raw), { ...bounds, ...over });
const listed = (raw: string | Buffer): string[] =>
  shown(raw).headers.map(({ name, value }) => `${name}=${value}`);

describe('shown headers', () => {
  it.each<[string, string | Buffer, string[]]>([
    [
      'fields in order, repeated ones too',
      'B: 1\r\na: 2\r\nB: 3\r\n\r\nC: 4',
      ['B=1', 'a=2', 'B=3'],
    ],
    ['folded lines joined', 'A: x\r\n\t y\n z\n\n', ['A=x y z']],
    ['a value that begins on the next line', 'A:\r\n x\r\n\r\n', ['A=x']],
    ['encoded words decoded', 'A: =?utf-8?b?w6k=?=\r\n =?utf-8?q?=C3=A8?=\n\n', ['A=éè']],
    ['a line break that was encoded as a blank', 'A: =?utf-8?q?x=0D=0AB:_y?=\n\n', ['A=x B: y']],
    ['UTF-8 as it is', 'A: é\n\n', ['A=é']],
    [
      'another charset',
      Buffer.from('Subject: d\xe9j\xe0 \xe9t\xe9\n\n', 'latin1'),
      ['Subject=déjà été'],
    ],
    ['a blank before the colon', 'A : x\n\n', ['A=x']],
    ['an empty value', 'A:\nB: x\n\n', ['A=', 'B=x']],
    ['no line of an mbox file', 'From a@b Thu Nov 26 10:00:00 2026\n x\nA: x\n\n', ['A=x']],
    ['nothing of a body without a head', 'Dear Ann:\nhello\n', []],
  ])('are %s', (_, raw, fields) => {
    expect(listed(raw)).toEqual(fields);
  });

  it.each([
    ['A: 1\nB: 2\nC: 3\n\n', {}, false],
    ['A: 1\nB: 2\nC: 3\nD: 4\n\n', {}, true],
    ['A: 0123456789\n\n', {}, false],
    ['A: 0123456789 x\n\n', {}, true],
    ['A: 0123456789x\n\n', {}, true],
    ['A: 1\n\nbody', { isWhole: false }, false],
    ['A: 1\nB', { isWhole: false }, true],
    ['A: 1\n', {}, false],
  ])('tell of %j (%j) whether something was left out: %s', (raw, over, truncated) => {
    const answer = shown(raw, over);
    expect(answer.truncated).toBe(truncated);
    expect(answer.headers.length).toBeLessThanOrEqual(3);
    for (const { value } of answer.headers) expect(value.length).toBeLessThanOrEqual(10);
  });

  it('are lines for any bytes', () => {
    const pieces = fc.constantFrom(
      'A',
      ':',
      ' ',
      '\t',
      '\r\n',
      '\n',
      '=?utf-8?q?',
      '?=',
      '\0',
      '\xe9',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (all) => {
        for (const { name, value } of shown(Buffer.from(all.join(''), 'latin1')).headers) {
          expect(name).toMatch(/^[!-~]+$/);
          expect(value).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
});
