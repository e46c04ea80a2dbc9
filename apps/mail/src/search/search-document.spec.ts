import { describe, expect, it } from '@jest/globals';
import { searchDocument } from './search-document.js';
import { wordsMax } from './words.js';

const place = { mailboxId: 'mbx_1', receivedAt: '2026-03-01T10:00:00.000Z' };
const blank = { subject: '', from: null, to: [], cc: [], text: null, hasAttachment: false };

describe('the document of a message', () => {
  it('has its place and time, and its words with their positions, fields apart', async () => {
    const message = {
      ...blank,
      subject: 'Été à Paris',
      from: { email: 'zoe@x.fr', name: 'Zoé' },
      text: 'paris',
      hasAttachment: true,
    };
    expect(await searchDocument(message, place)).toBe(
      `'m:mbx_1' 'd:mbx_1:20513' 'p:mbx_1:732' 'h:attachment' 'ete':1 's:ete':1 'a':2 's:a':2 ` +
        `'paris':3,10 's:paris':3 'zoe':5,6 'f:zoe':5,6 'x':7 'f:x':7 'fr':8 'f:fr':8`,
    );
  });

  it('stays within what PostgreSQL keeps, whatever the text is', async () => {
    const texts = [
      Array.from({ length: 100_000 }, (_, i) => `w${i}`).join(' '),
      'é'.repeat(1_000_000),
      'a '.repeat(500_000),
      Array.from({ length: 20_000 }, (_, i) => `${'漢字'.repeat(9)}${i}${'x'.repeat(80)}`).join(
        ' ',
      ),
    ];
    for (const text of texts) {
      const document = await searchDocument({ ...blank, text }, place);
      expect(Buffer.byteLength(document)).toBeLessThan(1_000_000);
      const last = Math.max(
        ...[...document.matchAll(/[:,](\d+)(?=[ ,]|$)/g)].map(([, n]) => Number(n)),
      );
      expect(last).toBeLessThanOrEqual(Math.max(wordsMax, 20_513));
    }
  });

  // Normalisation sorts marks in quadratic time: of 200,000 it took 13 s.
  it.each([
    ['one letter under marks', `a${'\u0301\u0316'.repeat(100_000)}`],
    ['marks alone', '\u0316\u0301'.repeat(100_000)],
    ['words under marks', `a${'\u0301\u0316'.repeat(300)} `.repeat(333)],
    [
      'marks between characters of a script without spaces',
      `日${'\u0301'.repeat(99_999)}`.repeat(2),
    ],
    ['marks that no accent is', `a${'\u0f71\u0f72'.repeat(100_000)}`],
    ['joined marks', `a${'\u200d\u0301'.repeat(100_000)}`],
  ])('is made in time: %s', async (_what, text) => {
    const before = process.cpuUsage();
    await searchDocument({ ...blank, subject: text, text }, place);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_500);
  });

  it('finds a letter under as many marks as people write', async () => {
    const vietnamese = 'ệ'.normalize('NFD').repeat(3);
    expect(await searchDocument({ ...blank, text: vietnamese }, place)).toContain(`'eee':`);
  });
});
