import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type Format, printAnswer, type Terminal } from './output.js';

const huge = { id: 'cnv_1', subject: 'x'.repeat(1_000_000) };

/** The text that is printed of an answer, a table unless otherwise said. */
function printed(answer: unknown, to: Partial<Terminal>, format: Format = 'table') {
  let text = '';
  const write = (more: string) => (text += more);
  printAnswer(answer, format, { columns: undefined, hasColour: false, ...to, write });
  return text;
}

describe('an answer on a terminal', () => {
  const terminal = { columns: 80, hasColour: true };

  it('of a huge list is as wide as the terminal', () => {
    const lines = printed({ items: [huge, huge] }, terminal).split('\n');
    expect(lines.map((line) => stripVTControlCharacters(line).length > 80)).not.toContain(true);
    expect(lines).toHaveLength(4);
  });

  it('of a huge text is cut, and says by how much', () => {
    expect(printed(huge, terminal)).toMatch(
      /^subject {2}x{2000}… \(998000 more characters: --json\)$/m,
    );
    expect(JSON.parse(printed(huge, terminal, 'json'))).toEqual(huge);
  });

  it('has colours there alone, and no text in a pipe is cut', () => {
    expect(printed({ items: [huge] }, terminal)).toContain('\u001b[1m');
    expect(printed({ items: [huge] }, {})).not.toContain('\u001b');
    expect(printed(huge, {})).toContain(huge.subject);
  });
});

describe('an answer of a record and what stands beside it', () => {
  const made = { key: { id: 'key_1', name: 'CRM' }, secret: 'pr_human_shownOnce' };

  it('is printed whole, since a secret is shown once', () => {
    expect(printed(made, {})).toBe('id      key_1\nname    CRM\nsecret  pr_human_shownOnce\n');
    expect(printed(made, {}, 'quiet')).toBe('key_1\n');
  });

  it.each(['Fine.', null, 7])('is printed as it is where it is no record: %j', (answer) => {
    expect(printed(answer, {})).toBe(`${answer}\n`);
  });

  it('keeps a field of the name that one of the record has', () => {
    expect(printed({ draft: { mailbox: 'a@acme.test' }, mailbox: 'b@acme.test' }, {})).toBe(
      'mailbox  a@acme.test\nmailbox  b@acme.test\n',
    );
  });
});
