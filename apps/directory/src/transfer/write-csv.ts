import { contactLimits, type ContactItem } from '@postroom/contracts';
import { stringify } from 'csv-stringify/sync';
import { inertCell } from './inert-cells.js';
import { joinedGroups } from './read-csv.js';

const numbered = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, i) => [
    `${name} ${i + 1} - Label`,
    `${name} ${i + 1} - Value`,
  ]).flat();

/** The columns of Google's export that a contact has. */
const header = [
  'Name',
  'First Name',
  'Last Name',
  'Organization Name',
  'Organization Title',
  'Notes',
  'Labels',
  ...numbered(contactLimits.emails, 'E-mail'),
  ...numbered(contactLimits.phones, 'Phone'),
];

const cellsOf = (points: ContactItem['emails'], count: number): string[] =>
  Array.from({ length: count }, (_, i) => [points[i]?.type ?? '', points[i]?.value ?? '']).flat();

// A line end of either kind is quoted, whatever ends the rows.
const rowsOf = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((row) => row.map(inertCell)),
    { quoted_match: /[\r\n]/, record_delimiter: '\r\n' },
  );

/** The header of a table of contacts. */
export const csvHeader = (): string => rowsOf([header]);

/** A contact as a row. */
export const writeCsv = (contact: ContactItem): string =>
  rowsOf([
    [
      contact.displayName,
      contact.givenName ?? '',
      contact.familyName ?? '',
      contact.organization ?? '',
      contact.jobTitle ?? '',
      contact.notes ?? '',
      joinedGroups(contact.groups),
      ...cellsOf(contact.emails, contactLimits.emails),
      ...cellsOf(contact.phones, contactLimits.phones),
    ],
  ]);
