import { describe, expect, it } from '@jest/globals';
import { operationsById } from '../table.js';
import { isVisible } from './index.js';

const unseen = ['', ' ', '\u200b', '\u2060\ufeff', '\u3164', '\u2800', '\u0007', '\u{e0001}'];

describe('a text', () => {
  it('is visible where a reader sees something of it', () => {
    expect(unseen.filter(isVisible)).toEqual([]);
    const seen = ['a', '\u200ba', '😀', '\u0301', 'שלום', '👩\u200d👧', '0'];
    expect(seen.filter(isVisible)).toEqual(seen);
  });

  it.each([
    ['conversations.comment', 'text'],
    ['sends.create', 'subject'],
    ['sends.reply', 'subject'],
    ['addressBooks.create', 'name'],
    ['addressBooks.update', 'name'],
    ['teams.create', 'name'],
    ['teams.update', 'name'],
    ['calendars.create', 'name'],
  ])('that nobody sees is refused by %s as its %s', (id, field) => {
    const operation = operationsById.get(id);
    const faultsOf = (text: string) =>
      operation?.rule?.({ id: '', [field]: text, to: [], cc: [], bcc: [], attachments: [] });
    expect(faultsOf('\u200b')).toMatchObject([{ field }]);
    expect(faultsOf('a')).toEqual([]);
  });
});
