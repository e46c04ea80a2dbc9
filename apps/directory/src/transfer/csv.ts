import {
  contactLimits,
  type ContactAddress,
  type ContactItem,
  type ContactPointValue,
  type PostalAddressValue,
} from '@postroom/contracts';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { decodeText, delimiterOf } from '@postroom/formats';
import { birthdayIn } from './birthday-text.js';
import { columnKey, columnOf, type Column } from './csv-columns.js';
import type { GivenEntry } from './given-entry.js';
import { Unreadable } from './vcard-text.js';

/** Columns of a row that are looked at. */
const columnsMax = 1000;

/** A column, and what it holds; undefined for one that is not known. */
interface NamedColumn {
  readonly name: string;
  readonly key: string;
  readonly holds: Column | undefined;
}

/** The columns and the delimiter of a table, read from its header. */
export interface Table {
  readonly columns: readonly NamedColumn[];
  readonly delimiter: string;
}

/** @throws Unreadable for a header that names no column of a contact */
export function tableOf(header: Buffer): Table {
  const text = decodeText(header).replace(/^\ufeff/, '');
  const delimiter = delimiterOf(text);
  const columns = cellsOf(text, delimiter).map((name) => {
    const key = columnKey(name);
    return { name: name.trim(), key, holds: columnOf(key) };
  });
  if (!columns.some(({ holds }) => holds)) throw new Unreadable('no column of a contact');
  return { columns, delimiter };
}

function cellsOf(text: string, delimiter: string): string[] {
  try {
    const options = { delimiter, relax_column_count: true, relax_quotes: true };
    const rows: string[][] = parse(text, options);
    return (rows[0] ?? []).slice(0, columnsMax);
  } catch (error) {
    throw new Unreadable(error instanceof Error ? error.message : 'not a row');
  }
}

/** Google joins values of one cell, and the groups of a contact, by three colons. */
const joint = ' ::: ';

const groupJoint = /(?<! ) ::: (?! )/;

/**
 * Groups as one cell. Colons that a group has of its own stand between two spaces each, which no joint does,
 * and which are one again in a group that was read.
 */
const joinedGroups = (groups: readonly string[]): string =>
  groups.map((group) => group.replaceAll(' :::', '  :::').replaceAll('::: ', ':::  ')).join(joint);

/** A filled cell of a row, under its column. */
interface Cell extends NamedColumn {
  readonly value: string;
}

/**
 * Reads a contact from a row.
 * @throws Unreadable
 */
export function readCsv(row: Buffer, { columns, delimiter }: Table): GivenEntry {
  const cells = cellsOf(decodeText(row), delimiter).map((cell) => plainCell(cell).trim());
  if (cells.findLastIndex((cell) => cell !== '') >= columns.length)
    throw new Unreadable('more cells than the header has');
  const filled = cells.flatMap((value, i): Cell[] => {
    const column = columns[i];
    return value === '' || !column ? [] : [{ ...column, value }];
  });
  const byKey = new Map(filled.toReversed().map(({ key, value }) => [key, value]));
  const of = (field: string): Cell[] => filled.filter(({ holds }) => holds?.field === field);
  const first = (field: string): string | null => of(field)[0]?.value ?? null;
  const points = (field: 'emails' | 'phones' | 'urls'): ContactPointValue[] =>
    of(field).flatMap(({ key, holds, value }) => {
      const type = typeBeside(byKey, key) ?? (holds && 'type' in holds ? holds.type : null);
      return value.split(joint).map((one) => ({ value: one.trim(), type }));
    });
  const given = [first('givenName'), first('middleName')].filter((name) => name !== null);
  const unknown = filled.filter(({ holds, value }) => holds === undefined && !noDay.test(value));
  return {
    displayName: first('displayName'),
    givenName: given.join(' ') || null,
    familyName: first('familyName'),
    emails: points('emails'),
    phones: points('phones'),
    organization: first('organization'),
    jobTitle: first('jobTitle'),
    // `* myContacts` and its like are views of Google, not groups of a person.
    groups: of('groups')
      .flatMap(({ key, value }) => value.split(googleGroups.has(key) ? groupJoint : ';'))
      .map((group) => group.trim())
      .filter((group) => group !== '' && !group.startsWith('* ')),
    notes: first('notes'),
    addresses: addressesOf(of('addresses'), byKey),
    birthday: birthdayOf(of('birthday')[0]) ?? composedDay(first),
    urls: points('urls'),
    unknown:
      unknown.length > 0 ? [`columns left out: ${unknown.map(({ name }) => name).join(', ')}`] : [],
  };
}

/** The zeros that Outlook writes for a day that is not given. */
const noDay = /^0\/0\/(?:00){1,2}$/;

const birthdayOf = (cell: Cell | undefined): string | null => {
  if (!cell || noDay.test(cell.value)) return null;
  const isDayFirst = cell.holds?.field === 'birthday' && cell.holds.isDayFirst;
  return birthdayIn(cell.value, isDayFirst);
};

/** The birthday of Thunderbird's three columns, of which the year may be empty. */
function composedDay(first: (field: string) => string | null): string | null {
  const [year, month, day] = [first('birthYear'), first('birthMonth'), first('birthDay')];
  if (month === null || day === null) return null;
  return `${year ?? '-'}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** The addresses of a row: the columns of one place are one address. */
function addressesOf(
  cells: readonly Cell[],
  byKey: ReadonlyMap<string, string>,
): PostalAddressValue[] {
  const places = new Map<string, Map<string, string>>();
  for (const { holds, value } of cells) {
    if (holds?.field !== 'addresses') continue;
    const { part, place, type } = holds;
    const parts = places.get(place) ?? new Map<string, string>();
    places.set(place, parts);
    const said = parts.get(part);
    parts.set(part, said === undefined ? value : `${said}\n${value}`);
    const label = typeBeside(byKey, `${place} value`) ?? type;
    if (label !== null) parts.set('type', label);
  }
  return [...places.values()].map((parts) => {
    const of = (part: string): string | null => parts.get(part) ?? null;
    const address = {
      ...{ street: of('street'), city: of('city'), region: of('region') },
      ...{ postalCode: of('postalCode'), country: of('country') },
    };
    const isWhole = Object.values(address).every((part) => part === null);
    return { ...address, ...(isWhole && { street: of('formatted') }), type: of('type') };
  });
}

const googleGroups = new Set(['labels', 'group membership']);

/** The type of Google's `E-mail 1 - Value` is in `E-mail 1 - Label`, formerly `- Type`. */
function typeBeside(cells: ReadonlyMap<string, string>, key: string): string | null {
  const numbered = /^(.* \d+ )value$/.exec(key)?.[1];
  if (numbered === undefined) return null;
  const label = cells.get(`${numbered}label`) ?? cells.get(`${numbered}type`) ?? '';
  // Google's own begin with a star.
  return (label.startsWith('* ') ? label.slice(2).toLowerCase() : label) || null;
}

const numbered = (count: number, name: string, parts: readonly string[] = ['Value']): string[] =>
  Array.from({ length: count }, (_, i) =>
    ['Label', ...parts].map((part) => `${name} ${i + 1} - ${part}`),
  ).flat();

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
  'Birthday',
  ...numbered(contactLimits.addresses, 'Address', [
    ...['Street', 'City', 'Region', 'Postal Code', 'Country'],
  ]),
  ...numbered(contactLimits.urls, 'Website'),
];

const pointCells = (points: ContactItem['emails'], count: number): string[] =>
  Array.from({ length: count }, (_, i) => [points[i]?.type ?? '', points[i]?.value ?? '']).flat();

const addressCells = (addresses: readonly ContactAddress[]): string[] =>
  Array.from({ length: contactLimits.addresses }, (_, i) => {
    const { type, street, city, region, postalCode, country } = addresses[i] ?? {};
    return [type, street, city, region, postalCode, country].map((part) => part ?? '');
  }).flat();

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
      contact.birthday ?? '',
      ...addressCells(contact.addresses ?? []),
      ...pointCells(contact.urls ?? [], contactLimits.urls),
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
