import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseQuery } from './parse-query.js';
import { textMatch } from './search-arguments.js';

const full = (q: string): string | null => textMatch(parseQuery(q)).full;

describe('a query', () => {
  it.each([
    ['facture juin', `('facture') & ('juin':*)`],
    ['"facture de juin"', `('facture' <-> 'de' <-> 'juin')`],
    ['"facture de', `('facture' <-> 'de')`],
    ['jean.dupont@x.fr a', `('jean' <-> 'dupont' <-> 'x' <-> 'fr') & ('a':*)`],
    ['facture -juin', `('facture') & !('juin')`],
    ['-"a b" c', `!('a' <-> 'b') & ('c':*)`],
    ['from:Zoé x', `('f:zoe') & ('x':*)`],
    ['from:zo', `('f:zo':*)`],
    ['subject:"a b"', `('s:a' <-> 's:b')`],
    ['-to:ops', `!('t:ops')`],
    ['has:attachment', `'h:attachment'`],
    ['-has:attachments x', `('x':*) & !'h:attachment'`],
    ['東京都 x', `('東京' <-> '京都') & ('x':*)`],
    ['東 x', `('東':*) & ('x':*)`],
    ['大阪city', `('大阪' <-> '阪' <-> 'city':*)`],
    ['unknown:word', `('unknown' <-> 'word':*)`],
    ['is:great', `('is' <-> 'great':*)`],
    ['before:2026-02-30', `('before' <-> '2026' <-> '02' <-> '30':*)`],
    ['before:0000-01-01', `('before' <-> '0000' <-> '01' <-> '01':*)`],
    ['from:?', `('from':*)`],
    ['a a a', `('a') & ('a':*)`],
    ['is:open', null],
    ['?! - " "', null],
    ['constructor:x', `('constructor' <-> 'x':*)`],
  ])('%s', (q, expected) => {
    expect(full(q)).toBe(expected);
  });

  it.each([
    ['label:"à relancer"', { kind: 'label', value: 'à relancer', negated: false }],
    ['-Label:x', { kind: 'label', value: 'x', negated: true }],
    ['assignee:Claire', { kind: 'assignee', value: 'claire', negated: false }],
    ['IS:Unread', { kind: 'is', value: 'unread', negated: false }],
    ['before:2026-03-01', { kind: 'before', value: '2026-03-01', negated: false }],
    ['after:2026-03-01', { kind: 'before', value: '2026-03-01', negated: true }],
    ['-after:2026-03-01', { kind: 'before', value: '2026-03-01', negated: false }],
  ])('%s asks of the conversation or the time', (q, expected) => {
    expect(parseQuery(q)).toEqual({ terms: [], filters: [expected] });
  });

  it('leaves short beginnings to what the rest of it finds', () => {
    expect(textMatch(parseQuery('facture ju')).indexed).toBe(`('facture')`);
    expect(textMatch(parseQuery('facture jui')).indexed).toBe(`('facture') & ('jui':*)`);
    expect(textMatch(parseQuery('ju')).indexed).toBe(`('ju':*)`);
    expect(textMatch(parseQuery('-facture ju')).indexed).toBe(`!('facture') & ('ju':*)`);
  });

  it('is understood whatever it is', () => {
    const pieces = fc.constantFrom('"', '-', ':', ' ', 'from:', 'is:', 'a', 'é', '東', '\\', '«');
    const queries = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 500 }),
      fc.array(pieces, { maxLength: 100 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(queries, (q) => {
        for (const { words, ending } of parseQuery(q).terms) {
          expect(words.length).toBeGreaterThan(0);
          expect(ending).not.toBe('typed');
          for (const word of words) expect(word).not.toMatch(/[\s'":\\&|!()*<>]/u);
        }
      }),
    );
  });
});
