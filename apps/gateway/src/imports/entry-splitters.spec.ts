import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CsvSplitter, VcardSplitter, type EntrySplitter } from './entry-splitters.js';

/** What a splitter finds in a body that comes in chunks of a size; null for what it left out. */
function found(splitter: EntrySplitter, body: Buffer, size: number): (string | null)[] {
  const entries = [];
  for (let at = 0; at < body.length; at += size)
    entries.push(...splitter.push(body.subarray(at, at + size)));
  entries.push(...splitter.end());
  return entries.map((entry) => entry?.toString() ?? null);
}

const sizes = fc.integer({ min: 1, max: 50 });

describe('cards', () => {
  it('are found however the body is cut', () => {
    const card = (line: string) => `BEGIN:VCARD\r\nFN:${line}\r\nEND:VCARD\r\n`;
    const lines = fc.array(fc.stringMatching(/^[a-zé用:;]{0,30}$/), { maxLength: 5 });
    fc.assert(
      fc.property(lines, sizes, (all, size) => {
        const cards = all.map(card);
        const body = Buffer.from(`\ufeff${cards.join('\r\n')}`);
        const read = found(new VcardSplitter(1000), body, size);
        expect(read.map((one) => one?.replace('\ufeff', ''))).toEqual(cards);
      }),
    );
  });

  it('that are too large or cut short are told of', () => {
    const photo = `BEGIN:VCARD\nPHOTO:${'x'.repeat(200_000)}\nEND:VCARD\nBEGIN:VCARD\nFN:A\nEND:VCARD\nBEGIN:VCARD\nFN`;
    const read = found(new VcardSplitter(1000), Buffer.from(photo), 1000);
    expect(read).toEqual([null, 'BEGIN:VCARD\nFN:A\nEND:VCARD\n', null]);
  });

  it('within cards are parts of them', () => {
    const nested = 'BEGIN:VCARD\nAGENT:\nBEGIN:VCARD\nEND:VCARD\nEND:VCARD\n';
    expect(found(new VcardSplitter(1000), Buffer.from(nested), 7)).toEqual([nested]);
  });
});

describe('rows', () => {
  it('are found however the body is cut, with line ends within quotes', () => {
    const cell = fc.stringMatching(/^[a-z,\n\r]{0,10}$/).map((text) => `"${text}""x"`);
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 5 }), sizes, (cells, size) => {
        const rows = cells.map((one) => `${one},b\r\n`);
        expect(found(new CsvSplitter(1000), Buffer.from(rows.join('')), size)).toEqual(rows);
      }),
    );
  });

  it('that are too large or never closed are told of, blank ones are not', () => {
    const body = `a,b\n\n \n"${'x'.repeat(2000)}"\nc,d\n"open`;
    const read = found(new CsvSplitter(1000), Buffer.from(body), 100);
    expect(read).toEqual(['a,b\n', null, 'c,d\n', null]);
  });
});
