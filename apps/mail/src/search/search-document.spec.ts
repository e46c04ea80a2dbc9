import { describe, expect, it } from '@jest/globals';
import { searchDocument, wordsMax } from './search-document.js';

const place = { mailboxId: 'mbx_1', receivedAt: '2026-03-01T10:00:00.000Z' };
const blank = { subject: '', from: null, to: [], cc: [], text: null, hasAttachment: false };

describe('the document of a message', () => {
  it('has its place and time, and its words with their positions, fields apart', () => {
    const message = {
      ...blank,
      subject: 'Été à Paris',
      from: { email: 'zoe@x.fr', name: 'Zoé' },
      text: 'paris',
      hasAttachment: true,
    };
    expect(searchDocument(message, place)).toBe(
      `'m:mbx_1' 'd:mbx_1:20513' 'p:mbx_1:732' 'h:attachment' 'ete':1 's:ete':1 'a':2 's:a':2 ` +
        `'paris':3,10 's:paris':3 'zoe':5,6 'f:zoe':5,6 'x':7 'f:x':7 'fr':8 'f:fr':8`,
    );
  });

  it('stays within what PostgreSQL keeps, whatever the text is', () => {
    const texts = [
      Array.from({ length: 100_000 }, (_, i) => `w${i}`).join(' '),
      'é'.repeat(1_000_000),
      'a '.repeat(500_000),
      Array.from({ length: 20_000 }, (_, i) => `${'漢字'.repeat(9)}${i}${'x'.repeat(80)}`).join(
        ' ',
      ),
    ];
    for (const text of texts) {
      const document = searchDocument({ ...blank, text }, place);
      expect(Buffer.byteLength(document)).toBeLessThan(1_000_000);
      const last = Math.max(
        ...[...document.matchAll(/[:,](\d+)(?=[ ,]|$)/g)].map(([, n]) => Number(n)),
      );
      expect(last).toBeLessThanOrEqual(Math.max(wordsMax, 20_513));
    }
  });
});
