import { describe, expect, it } from '@jest/globals';
import { newId, type ContactContent, type ContactItem } from '@postroom/contracts';
import { repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import { displayNameOf, emptyRecord, withGiven } from '../contacts/index.js';
import { contentOf } from './given-entry.js';
import { readCsv, tableOf } from './read-csv.js';
import { readVcard } from './read-vcard.js';
import { csvHeader, writeCsv } from './write-csv.js';
import { writeVcard } from './write-vcard.js';

/** Texts of one line, with what the formats escape, and what they write for a line end. */
const line = (max: number) =>
  fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      fc.constantFrom(
        'a;b',
        'a\\;b',
        'a,b',
        'a\\nb',
        'a:b',
        '"q"',
        "'",
        '=1+1',
        '+33 1',
        '@x',
        '-',
        'é',
      ),
      fc.constantFrom('שלום', '😀'.repeat(30), 'x'.repeat(max), 'a ::: b', '\u0301x', '＝1'),
    )
    .map((text) => text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '').trim())
    .filter((text) => text !== '' && [...text].length <= max && text.isWellFormed());
const type = fc.constantFrom(null, 'work', 'home', 'x-other');
const emails = fc.uniqueArray(
  fc.record({
    value: fc.stringMatching(/^[a-z0-9!#$%&'*+=?^_{|}~-]{1,12}@[a-z]{2,8}\.example$/),
    type,
  }),
  { maxLength: 10, selector: ({ value }) => value },
);
const phones = fc.uniqueArray(
  fc.record({ value: fc.stringMatching(/^\+?[0-9]{3,12}( \([0-9]{2}\))?$/), type }),
  { maxLength: 10, selector: ({ value }) => value.replaceAll(/\D/g, '') },
);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

const contents = fc
  .record({
    displayName: line(120),
    givenName: maybe(line(80)),
    familyName: maybe(line(80)),
    organization: maybe(line(120)),
    jobTitle: maybe(line(120)),
    notes: maybe(fc.array(line(80), { minLength: 1, maxLength: 3 }).map((all) => all.join('\n'))),
    emails,
    phones,
    groups: fc.uniqueArray(
      line(60).filter((group) => !group.includes(' ::: ') && !group.startsWith('* ')),
      { maxLength: 20, selector: (group) => group.normalize('NFKC').toLowerCase() },
    ),
  })
  .map((given): ContactContent => {
    const filled = Object.entries(given).filter(
      ([, value]) => value !== undefined && value.length > 0,
    );
    return contentOf({ ...emptyRecord, ...Object.fromEntries(filled) });
  });

const itemOf = (content: ContactContent): ContactItem => {
  const record = withGiven(emptyRecord, content);
  const now = new Date().toISOString();
  return {
    ...record,
    displayName: displayNameOf(record),
    emails: [...record.emails],
    phones: [...record.phones],
    groups: [...record.groups],
    ...{ id: newId('ctc'), bookId: newId('abk'), mergedFrom: [], version: 1 },
    ...{ author: { type: 'key', id: newId('key') }, createdAt: now, updatedAt: now },
  };
};

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

  it('begins no property of its own, and no formula', () => {
    const content = { displayName: 'A', notes: 'x\r\nTEL:666\r\nEND:VCARD', organization: '=1+1' };
    const card = writeVcard({ ...itemOf(content), jobTitle: 'a\r\nEMAIL:evil@x.test' });
    expect(card).not.toMatch(/^(TEL|EMAIL)/m);
    expect(card.match(/^END:VCARD/gm)).toHaveLength(1);
    expect(writeCsv(itemOf(content))).toContain("'=1+1");
  });
});
