import { describe, expect, it } from '@jest/globals';
import { repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import { contents, itemOf, writtenTypes } from '../testing/generated-contacts.js';
import { contentOf } from './given-entry.js';
import { csvHeader, readCsv, tableOf, writeCsv } from './csv.js';
import { readVcard } from './read-vcard.js';
import { writeVcard } from './write-vcard.js';

const runs = { numRuns: repetitions(10_000, 300) };

describe('a contact that was exported', () => {
  it('as a card is read as it was', () => {
    fc.assert(
      fc.property(contents, (content) => {
        const card = Buffer.from(writeVcard(itemOf(content)));
        expect(contentOf(readVcard(card))).toEqual(content);
      }),
      runs,
    );
  });

  it('as a row is read as it was', () => {
    const table = tableOf(Buffer.from(csvHeader()));
    fc.assert(
      fc.property(contents, (content) => {
        const row = Buffer.from(writeCsv(itemOf(content)));
        expect(contentOf(readCsv(row, table))).toEqual(content);
      }),
      runs,
    );
  });

  it('keeps what its addresses are for, and groups with colons', () => {
    const points = writtenTypes.map((type, i) => ({ value: `a${i}@x.example`, type }));
    const groups = ['a ::: b', ':::', 'c'];
    const content = { displayName: 'A', emails: points, groups };
    const card = writeVcard(itemOf(content));
    expect(contentOf(readVcard(Buffer.from(card)))).toEqual(content);
    const row = Buffer.from(writeCsv(itemOf(content)));
    expect(contentOf(readCsv(row, tableOf(Buffer.from(csvHeader()))))).toEqual(content);
  });

  it('keeps backslashes before what separates values, and at the end of one', () => {
    const content = {
      ...{ displayName: 'A', familyName: '\\', givenName: '\\;,\\', organization: '\\' },
      ...{ groups: ['\\', 'b\\\\', '\\,', 'c'], notes: '\\\\,' },
    };
    expect(contentOf(readVcard(Buffer.from(writeVcard(itemOf(content)))))).toEqual(content);
  });

  it('has lines of 75 octets at most', () => {
    const card = writeVcard(itemOf({ displayName: 'A', notes: 'xé'.repeat(500) }));
    const lengths = card.split('\r\n').map((line) => Buffer.byteLength(line));
    expect(Math.max(...lengths)).toBe(75);
  });

  it('begins no property of its own, and no formula', () => {
    const content = { displayName: 'A', notes: 'x\r\nTEL:666\r\nEND:VCARD', organization: '=1+1' };
    const card = writeVcard({ ...itemOf(content), jobTitle: 'a\r\nEMAIL:evil@x.test' });
    expect(card).not.toMatch(/^(TEL|EMAIL)/m);
    expect(card.match(/^END:VCARD/gm)).toHaveLength(1);
    expect(writeCsv(itemOf(content))).toContain("'=1+1");
  });
});
