import { newId, type ContactContent, type ContactItem } from '@postroom/contracts';
import fc from 'fast-check';
import { displayNameOf, emptyRecord, withGiven } from '../contacts/index.js';
import { contentOf } from '../transfer/index.js';

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

/** Types of addresses as people write them, which are no tokens of TYPE. */
export const writtenTypes = [
  ...['Work', 'iPhone', 'Téléphone', 'mobile pro', 'Bureau, 2', 'home;x', 'a"b', 'pref'],
];

/** Types of addresses and numbers as tokens of TYPE. */
const tokens = fc.constantFrom(null, 'work', 'home', 'x-other');
/** And as people write them. A star at the beginning, and Apple’s marks, are those of exporters. */
const types = fc.oneof(
  tokens,
  fc.constantFrom(...writtenTypes),
  line(40).filter((text) => !text.startsWith('* ') && !text.startsWith('_$!<')),
);
type Type = fc.Arbitrary<string | null>;
const emails = (type: Type) =>
  fc.uniqueArray(
    fc.record({
      value: fc.stringMatching(/^[a-z0-9!#$%&'*+=?^_{|}~-]{1,12}@[a-z]{2,8}\.example$/),
      type,
    }),
    { maxLength: 10, selector: ({ value }) => value },
  );
const phones = (type: Type) =>
  fc.uniqueArray(
    fc.record({ value: fc.stringMatching(/^\+?[0-9]{3,12}( \([0-9]{2}\))?$/), type }),
    { maxLength: 10, selector: ({ value }) => value.replaceAll(/\D/g, '') },
  );
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

/** The fields that vobject and ez-vcard are not asked to keep. */
const details = (type: Type) => ({
  addresses: fc.array(
    fc.record({
      street: fc.array(line(40), { maxLength: 3 }).map((lines) => lines.join('\n')),
      ...{ city: line(200), region: maybe(line(20)), postalCode: maybe(line(20)) },
      ...{ country: maybe(line(20)), type },
    }),
    { maxLength: 5 },
  ),
  birthday: maybe(fc.constantFrom('1990-01-31', '2004-02-29', '--02-29', '--12-01')),
  urls: fc.array(fc.record({ value: fc.webUrl({ withQueryParameters: true }), type }), {
    maxLength: 5,
  }),
});

const contentsWith = (type: Type, more: Partial<ReturnType<typeof details>> = {}) =>
  fc
    .record({
      ...more,
      displayName: line(120),
      givenName: maybe(line(80)),
      familyName: maybe(line(80)),
      organization: maybe(line(120)),
      jobTitle: maybe(line(120)),
      notes: maybe(fc.array(line(80), { minLength: 1, maxLength: 3 }).map((all) => all.join('\n'))),
      emails: emails(type),
      phones: phones(type),
      groups: fc.uniqueArray(
        line(60).filter((group) => !group.startsWith('* ')),
        { maxLength: 20, selector: (group) => group.normalize('NFKC').toLowerCase() },
      ),
    })
    .map((given): ContactContent => {
      const filled = Object.entries(given).filter(
        ([, value]) => value !== undefined && value.length > 0,
      );
      return contentOf({ ...emptyRecord, ...Object.fromEntries(filled) });
    });

/** Contacts of every shape. */
export const contents = contentsWith(types, details(types));

/** Contacts whose types every program knows to write. */
export const plainContents = contentsWith(tokens);

/** A contact as the API shows it. */
export const itemOf = (content: ContactContent): ContactItem => {
  const record = withGiven(emptyRecord, content);
  const now = new Date().toISOString();
  return {
    ...record,
    displayName: displayNameOf(record),
    emails: [...record.emails],
    phones: [...record.phones],
    groups: [...record.groups],
    addresses: [...record.addresses],
    urls: [...record.urls],
    ...{ id: newId('ctc'), bookId: newId('abk'), mergedFrom: [], version: 1 },
    ...{ author: { type: 'key', id: newId('key') }, createdAt: now, updatedAt: now },
  };
};
