import {
  addressPartMax,
  addressParts,
  contactLimits,
  contactTexts,
  isBirthday,
  isContact,
  pointTypeMax,
  tidyGroups,
  validAddresses,
  validEmails,
  validPhones,
  validUrls,
  type ContactContent,
  type ContactPointValue,
  type PostalAddressValue,
} from '@postroom/contracts';
import type { ContactRecord } from '../contacts/index.js';
import { Unreadable } from './vcard-text.js';

/** An entry of a file, before it is held to the limits of a contact. */
export interface GivenEntry extends Omit<ContactRecord, 'photo'> {
  readonly photoBytes?: Buffer;
  /** The contact that it was exported from, as the file says. */
  readonly exportedFrom?: string | null;
  /** Parts of the entry that no contact has, in words. */
  readonly unknown?: readonly string[];
}

/** Controls that a line of text may not have. */
const controls = /[\p{Cc}\u2028\u2029]+/gu;

const cut = (text: string, max: number): string => [...text].slice(0, max).join('');

/** A contact of an entry, and the parts of the entry that did not fit. */
export interface ReadEntry {
  readonly content: ContactContent;
  readonly exportedFrom: string | null;
  readonly photo: Buffer | null;
  readonly leftOut: readonly string[];
}

/**
 * A contact from an entry. Long texts are cut and surplus items left out, with a warning, since the importing
 * member cannot mend the file; absent fields are not given.
 *
 * @throws Unreadable
 */
export function readEntry(entry: GivenEntry): ReadEntry {
  const leftOut = [...(entry.unknown ?? [])];
  const content = Object.fromEntries(
    Object.entries({
      ...textsOf(entry, leftOut),
      emails: pointsOf('emails', entry.emails, validEmails, leftOut),
      phones: pointsOf('phones', entry.phones, validPhones, leftOut),
      groups: groupsOf(entry.groups, leftOut),
      addresses: addressesOf(entry.addresses, leftOut),
      birthday: birthdayOf(entry.birthday, leftOut),
      urls: pointsOf('urls', entry.urls, validUrls, leftOut),
    }).filter(([, value]) => value.length > 0),
  );
  if (!isContact(content)) throw new Unreadable('no name, address or organization');
  const { exportedFrom = null, photoBytes: photo = null } = entry;
  return { content, leftOut, exportedFrom, photo };
}

/** The contact of {@link readEntry} alone. @throws Unreadable */
export const contentOf = (entry: GivenEntry): ContactContent => readEntry(entry).content;

const isLonger = (text: string, max: number): boolean => cut(text, max) !== text;

function textsOf(entry: GivenEntry, leftOut: string[]): Record<string, string> {
  const texts = contactTexts.map((name) => {
    const given = (entry[name] ?? '').toWellFormed().replaceAll('\u0000', '');
    const text = (name === 'notes' ? given : given.replaceAll(controls, ' ')).trim();
    const max = contactLimits[name];
    if (isLonger(text, max)) leftOut.push(`${name} cut to ${max} characters`);
    return [name, cut(text, max).trim()] as const;
  });
  return Object.fromEntries(texts);
}

type Points = GivenEntry['emails'];

function pointsOf(
  name: 'emails' | 'phones' | 'urls',
  given: Points,
  validOf: (given: Points) => ContactPointValue[],
  leftOut: string[],
): ContactPointValue[] {
  const max = contactLimits[name];
  const valid = validOf(given);
  const none = given.filter((one) => validOf([one]).length === 0);
  const [first] = none;
  if (first)
    leftOut.push(`${none.length} of ${name} left out: not valid, such as ${cut(first.value, 40)}`);
  if (valid.length > max)
    leftOut.push(`${valid.length - max} of ${name} left out: more than ${max}`);
  if (given.some(({ type }) => isLonger(type?.trim() ?? '', pointTypeMax)))
    leftOut.push(`types of ${name} left out: more than ${pointTypeMax} characters`);
  return valid.slice(0, max);
}

/** The text of a part of an address, in lines where it is a street. */
function partOf(address: PostalAddressValue, part: keyof PostalAddressValue): string {
  const text = (address[part] ?? '').toWellFormed();
  const lines = part === 'street' ? text.split(/\r\n?|\n/) : [text];
  return lines.map((line) => line.replaceAll(controls, ' ').trim()).join('\n');
}

function addressesOf(given: GivenEntry['addresses'], leftOut: string[]): PostalAddressValue[] {
  const max = contactLimits.addresses;
  const whole = given.map((address) =>
    addressParts.map((part) => [part, partOf(address, part)] as const),
  );
  const long = whole.flat().filter(([part, text]) => isLonger(text, addressPartMax(part))).length;
  if (long > 0) leftOut.push(`${long} parts of addresses cut`);
  const valid = validAddresses(
    whole.map((parts) =>
      Object.fromEntries(parts.map(([part, text]) => [part, cut(text, addressPartMax(part))])),
    ),
  );
  if (valid.length > max)
    leftOut.push(`${valid.length - max} of addresses left out: more than ${max}`);
  return valid.slice(0, max);
}

function birthdayOf(given: string | null, leftOut: string[]): string {
  if (given === null || isBirthday(given)) return given ?? '';
  leftOut.push(`the birthday left out: ${cut(given, 40)} is not one day`);
  return '';
}

function groupsOf(given: readonly string[], leftOut: string[]): string[] {
  const { group: each, groups: max } = contactLimits;
  const tidy = tidyGroups(given.map((one) => one.toWellFormed().replaceAll(controls, ' ')));
  const long = tidy.filter((group) => isLonger(group, each)).length;
  if (long > 0) leftOut.push(`${long} of groups cut to ${each} characters`);
  const groups = tidyGroups(tidy.map((group) => cut(group, each)));
  if (groups.length > max)
    leftOut.push(`${groups.length - max} of groups left out: more than ${max}`);
  return groups.slice(0, max);
}
