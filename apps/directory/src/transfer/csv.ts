import { contactLimits, type ContactItem, type ContactPointValue } from '@postroom/contracts';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { GivenEntry } from './given-entry.js';
import { decodeText, Unreadable } from './vcard-text.js';

/** Columns of a row that are looked at. */
const columnsMax = 1000;

/** Delimiters that exporters write, by how often a header has them. */
const delimiters = [',', ';', '\t'] as const;

/** The columns and the delimiter of a table, read from its header. */
export interface Table {
  readonly names: readonly string[];
  readonly delimiter: string;
}

/** @throws Unreadable for a header that names no column of a contact */
export function tableOf(header: Buffer): Table {
  const text = decodeText(header).replace(/^\ufeff/, '');
  const count = (of: string): number => text.split(of).length;
  const delimiter = delimiters.reduce((best, one) => (count(one) > count(best) ? one : best));
  const names = cellsOf(text, delimiter).map((name) => name.trim().toLowerCase());
  if (!names.some((name) => columns.has(name) || emailColumn.test(name)))
    throw new Unreadable('no column of a contact');
  return { names, delimiter };
}

function cellsOf(text: string, delimiter: string): string[] {
  try {
    const rows: string[][] = parse(text, { delimiter, relax_column_count: true });
    return (rows[0] ?? []).slice(0, columnsMax);
  } catch (error) {
    throw new Unreadable(error instanceof Error ? error.message : 'not a row');
  }
}

type One = 'displayName' | 'givenName' | 'familyName' | 'organization' | 'jobTitle' | 'notes';

/** Columns by their names in lower case: Google's of today and before, and Outlook's. */
const columns: ReadonlyMap<string, One | 'middleName' | 'groups'> = new Map([
  ...(['name', 'display name', 'full name', 'file as'] as const).map(
    (name) => [name, 'displayName'] as const,
  ),
  ['first name', 'givenName'],
  ['given name', 'givenName'],
  ['middle name', 'middleName'],
  ['additional name', 'middleName'],
  ['last name', 'familyName'],
  ['family name', 'familyName'],
  ['organization name', 'organization'],
  ['organization 1 - name', 'organization'],
  ['organization', 'organization'],
  ['company', 'organization'],
  ['organization title', 'jobTitle'],
  ['organization 1 - title', 'jobTitle'],
  // Not `Title`, which is a form of address in Outlook's (`Mr.`).
  ['job title', 'jobTitle'],
  ['notes', 'notes'],
  ['labels', 'groups'],
  ['group membership', 'groups'],
  ['categories', 'groups'],
]);

const emailColumn = /^(?:e-?mail(?: ?\d*)? address|e-?mail|e-?mail \d+ - value)$/;
const phoneColumn = /^(?:(.*) phone(?: \d)?|phone|phone \d+ - value)$/;

/** Google joins values of one cell, and the groups of a contact, by three colons. */
const joint = ' ::: ';

const groupJoint = /(?<! ) ::: (?! )/;

/**
 * Groups as one cell. Colons that a group has of its own stand between two spaces each, which no joint does,
 * and which are one again in a group that was read.
 */
const joinedGroups = (groups: readonly string[]): string =>
  groups.map((group) => group.replaceAll(' :::', '  :::').replaceAll('::: ', ':::  ')).join(joint);

/**
 * Reads a contact from a row.
 * @throws Unreadable
 */
export function readCsv(row: Buffer, { names, delimiter }: Table): GivenEntry {
  const cells = cellsOf(decodeText(row), delimiter);
  if (cells.length > names.length) throw new Unreadable('more cells than the header has');
  const named = cells.map((cell, i) => ({
    name: names[i] ?? '',
    value: plainCell(cell).trim(),
  }));
  const filled = named.filter(({ value }) => value !== '');
  const first = (wanted: string): string | null =>
    filled.find(({ name }) => columns.get(name) === wanted)?.value ?? null;
  const cellOf = new Map(named.toReversed().map((cell) => [cell.name, cell.value]));
  const typeOf = (name: string): string | null => typeBeside(cellOf, name);
  const points = (pattern: RegExp): ContactPointValue[] =>
    filled
      .filter(({ name }) => pattern.test(name))
      .flatMap(({ name, value }) => {
        const type = typeOf(name) ?? pattern.exec(name)?.[1]?.toLowerCase() ?? null;
        return value.split(joint).map((one) => ({ value: one.trim(), type }));
      });
  const given = [first('givenName'), first('middleName')].filter((name) => name !== null);
  const groups = filled.filter(({ name }) => columns.get(name) === 'groups');
  return {
    displayName: first('displayName'),
    givenName: given.join(' ') || null,
    familyName: first('familyName'),
    emails: points(emailColumn),
    phones: points(phoneColumn),
    organization: first('organization'),
    jobTitle: first('jobTitle'),
    // `* myContacts` and its like are views of Google, not groups of a person.
    groups: groups
      .flatMap(({ name, value }) => value.split(name === 'categories' ? ';' : groupJoint))
      .map((group) => group.trim())
      .filter((group) => group !== '' && !group.startsWith('* ')),
    notes: first('notes'),
  };
}

/** The type of Google's `E-mail 1 - Value` is in `E-mail 1 - Label`, formerly `- Type`. */
function typeBeside(cells: ReadonlyMap<string, string>, name: string): string | null {
  const numbered = /^(.* \d+ - )value$/.exec(name)?.[1];
  if (numbered === undefined) return null;
  const label = cells.get(`${numbered}label`) ?? cells.get(`${numbered}type`) ?? '';
  // Google's own begin with a star.
  return (label.startsWith('* ') ? label.slice(2).toLowerCase() : label) || null;
}

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

const pointCells = (points: ContactItem['emails'], count: number): string[] =>
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
      ...pointCells(contact.emails, contactLimits.emails),
      ...pointCells(contact.phones, contactLimits.phones),
    ],
  ]);

/** The beginning of a formula to a spreadsheet, with apostrophes before it. */
const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/**
 * A cell that begins like a formula, with an apostrophe before it, so that it is a text wherever the file is
 * opened. One that has such apostrophes of its own gets one more, so that each is read as it was.
 */
const inertCell = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** A cell without the apostrophe of {@link inertCell}. */
const plainCell = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
