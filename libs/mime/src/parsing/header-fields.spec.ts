import { describe, expect, it } from '@jest/globals';
import { contentIdOf, firstMessageId, messageIds } from './header-fields.js';

describe('message identifiers', () => {
  it.each([
    ['<a@b>', 'a@b'],
    ['Your mail of today <a@b> <c@d>', 'a@b'],
    ['a@b', 'a@b'],
    ['<a@\r\n b>', 'a@b'],
    ['no identifier', null],
    ['', null],
    ['<>', null],
  ])('reads %j as %j', (header, id) => {
    expect(firstMessageId(header)).toBe(id);
  });

  it('leaves out what is longer than a header line, never half of it', () => {
    expect(messageIds(`<${'é'.repeat(500)}@b> <c@d>`)).toEqual(['c@d']);
  });

  it('keeps the first and the newest 99 references', () => {
    const header = Array.from({ length: 300 }, (_, index) => `<${index}@x>`).join(' ');
    const references = messageIds(header);
    expect(references).toHaveLength(100);
    expect([references[0], references[1], references[99]]).toEqual(['0@x', '201@x', '299@x']);
  });

  it('reads a Content-ID without brackets', () => {
    expect(contentIdOf('logo.png')).toBe('logo.png');
  });
});
