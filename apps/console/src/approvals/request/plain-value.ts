import type { Account } from '@postroom/contracts';
import { timeText } from '../../ui/time.js';
import type { Fields } from './headline.js';

/** Names of what a field refers to by id, as the account knows them. */
function nameOfReference(name: string, id: string, account: Account): string {
  const { members, teams, calendars, addressBooks } = account;
  const found: Readonly<Record<string, string | undefined>> = {
    assignee: members.find(({ email }) => email === id)?.name,
    ownerUid: members.find(({ email }) => email === id)?.name,
    teamId: teams.find((team) => team.id === id)?.name,
    calendarId: calendars.find((calendar) => calendar.id === id)?.name,
    bookId: addressBooks.find((book) => book.id === id)?.name,
  };
  const known = Object.hasOwn(found, name) ? found[name] : undefined;
  return known === undefined ? id : `${known} (${id})`;
}

const statusNames = new Set(['status', 'placement']);
const statuses: Readonly<Record<string, string>> = {
  in_progress: 'in progress',
  todo: 'to do',
  inbox: 'Inbox',
  archived: 'Archive',
  trash: 'Trash',
  spam: 'Spam',
};

/** A person as mail names one. */
function personOf({ name, email, value, type }: Fields): string | null {
  const address = typeof email === 'string' ? email : typeof value === 'string' ? value : null;
  if (address === null) return null;
  if (typeof name === 'string' && name !== '') return `${name} <${address}>`;
  return typeof type === 'string' ? `${address} (${type})` : address;
}

function itemText(item: unknown): string {
  if (typeof item === 'string') return item;
  if (typeof item !== 'object' || item === null) return String(item);
  const fields = item as Fields;
  if (typeof fields.filename === 'string') return fields.filename;
  if (typeof fields.minutes === 'number') return `${fields.minutes} min before`;
  return personOf(fields) ?? fieldsText(fields);
}

/** The name of a field as it is said: `dueMs` is `due ms`. */
export const wordsOf = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The fields of an object that is not known further, by their names. */
const fieldsText = (fields: Fields): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${wordsOf(name)}: ${valueText(value)}`)
    .join(', ');

const valueText = (value: unknown): string =>
  Array.isArray(value) ? value.map(itemText).join('; ') : itemText(value);

/** Any value of a request as a text; null of what is empty. */
export function plainValue(name: string, value: unknown, account: Account): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string') return textOf(name, value, account);
  if (typeof value === 'number') return String(value);
  return textOfMany(value, account.workspace.timeZone);
}

function textOf(name: string, value: string, account: Account): string {
  const isStatus = statusNames.has(name) && Object.hasOwn(statuses, value);
  return (isStatus && statuses[value]) || nameOfReference(name, value, account);
}

/** Moments that a recurrence leaves out or adds. */
function momentsText(words: string, moments: unknown, zone: string): string[] {
  const times = Array.isArray(moments) ? moments.map((at) => timeOf('Ms', at)) : [];
  const told = times.flatMap((at) => (at === null ? [] : [timeText(at, zone)]));
  return told.length === 0 ? [] : [`${words} (${zone}): ${told.join('; ')}`];
}

function textOfMany(value: object, zone: string): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(itemText).join('\n');
  const { rrule, exceptMs, addedMs } = value as Fields;
  if (typeof rrule !== 'string') return fieldsText(value as Fields);
  const except = momentsText('except', exceptMs, zone);
  return [rrule, ...except, ...momentsText('and also', addedMs, zone)].join('\n');
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const isTimeName = /(?:At|Until|Ms)$|^until$/;

/** The time that a value is; null of what is none. Only fields that are times are read as one, never a free text. */
export function timeOf(name: string, value: unknown): number | null {
  if (!isTimeName.test(name)) return null;
  const at = typeof value === 'string' && instant.test(value) ? Date.parse(value) : value;
  return typeof at === 'number' && !Number.isNaN(new Date(at).getTime()) ? at : null;
}
