import type { ContactPointValue, PostalAddressValue } from '@postroom/contracts';
import ICAL from 'ical.js';
import { birthdayIn } from './birthday-text.js';
import type { GivenEntry } from './given-entry.js';
import { photoOf, type CardPhoto } from './card-photo.js';
import { afterBackslash, readCard, Unreadable } from './vcard-text.js';

/** Parameters of TYPE that say how, not what for. */
const kinds = new Set(['internet', 'pref', 'voice', 'x400', 'text']);

/** True if a parameter of TYPE keeps the type as it is: readers change the case of letters. */
export const isTypeParameter = (type: string): boolean =>
  /^[a-z][a-z0-9-]*$/.test(type) && !kinds.has(type);

/** KIND of cards that are no contacts (RFC 6350 §6.1.4, and Apple). */
const noContacts = new Set(['group', 'location']);

/**
 * Reads a contact from a vCard (2.1, 3.0, 4.0).
 * @throws Unreadable
 */
export function readVcard(card: Buffer): GivenEntry {
  const { lines, photo: written } = readCard(card);
  const properties = propertiesOf(lines);
  const named = (name: string): ICAL.Property[] =>
    properties.filter((property) => property.name === name);
  const first = (name: string): string | null => textOf(named(name)[0]);
  requireContact(first('kind') ?? first('x-addressbookserver-kind'));
  const labels = labelsOf(named('x-ablabel'));
  const [family = null, given = null] = partsOf(named('n')[0]);
  const [organization = null] = partsOf(named('org')[0]);
  return {
    displayName: first('fn'),
    givenName: given,
    familyName: family,
    emails: pointsOf(named('email'), labels),
    phones: pointsOf(named('tel'), labels).map(withoutScheme),
    organization,
    jobTitle: first('title') ?? first('role'),
    groups: named('categories').flatMap((property) => valuesOf(property)),
    notes: named('note').map(textOf).join('\n') || null,
    exportedFrom: contactNamed(first('uid') ?? ''),
    addresses: byRank(named('adr')).map((property) => addressOf(property, labels)),
    birthday: birthdayOf(first('x-bday')),
    urls: pointsOf(named('url'), labels),
    ...(written && photoFields(photoOf(written))),
  };
}

const photoFields = (photo: CardPhoto): Pick<GivenEntry, 'photoBytes' | 'unknown'> =>
  'bytes' in photo ? { photoBytes: photo.bytes } : { unknown: [photo.leftOut] };

/** @throws Unreadable */
function requireContact(kind: string | null): void {
  if (kind !== null && noContacts.has(kind.toLowerCase()))
    throw new Unreadable(`a ${kind.toLowerCase()}, and no person or organization`);
}

/** The contact of our own export that a UID names; null for any other. */
const contactNamed = (uid: string): string | null =>
  /^urn:postroom:(ctc_\w{1,40})$/.exec(uid)?.[1] ?? null;

function propertiesOf(lines: readonly string[]): ICAL.Property[] {
  const text = lines.join('\r\n');
  try {
    return new ICAL.Component(ICAL.parse(text) as unknown[]).getAllProperties();
  } catch (error) {
    throw new Unreadable(error instanceof Error ? error.message : 'not a card');
  }
}

/** A value that is a text as it is, and of dates and the like what is written for them. */
const asText = (value: unknown): string => {
  if (typeof value === 'string') return value.replaceAll(afterBackslash, '');
  return value === undefined || value === null ? '' : JSON.stringify(value);
};

const valuesOf = (property: ICAL.Property): string[] =>
  (property.getValues() as unknown[]).map(asText).filter((text) => text !== '');

const textOf = (property: ICAL.Property | undefined): string | null => {
  const value: unknown = property?.getFirstValue();
  return asText(value) || null;
};

/** The parts of a structured value; those of several values are joined. */
function partsOf(property: ICAL.Property | undefined, joint = ' '): (string | undefined)[] {
  const value: unknown = property?.getFirstValue();
  if (typeof value === 'string') return [asText(value)];
  if (!Array.isArray(value)) return [];
  return value.map((part: unknown) =>
    Array.isArray(part) ? part.map(asText).join(joint) : asText(part),
  );
}

const groupOf = (property: ICAL.Property): string => asText(property.getParameter('group'));

/** Labels by their groups of properties, which Apple and Google write; Apple's own are `_$!<Home>!$_`. */
function labelsOf(properties: readonly ICAL.Property[]): ReadonlyMap<string, string> {
  return new Map(
    properties.map((property) => {
      const label = textOf(property) ?? '';
      return [groupOf(property), /^_\$!<(.*)>!\$_$/s.exec(label)?.[1]?.toLowerCase() ?? label];
    }),
  );
}

function typeOf(property: ICAL.Property, labels: ReadonlyMap<string, string>): string | null {
  const given: unknown = property.getParameter('type');
  const types = [given].flat().flatMap((one) => asText(one).split(','));
  const isType = (type: string): boolean => type !== '' && !kinds.has(type);
  const type = types.map((one) => one.toLowerCase()).find(isType);
  if (type !== undefined) return type;
  const group = groupOf(property);
  return (group !== '' && labels.get(group)) || null;
}

/** Rank by preference (PREF of 4.0, TYPE=pref of the others). */
function rankOf(property: ICAL.Property): number {
  const pref = Number(property.getParameter('pref'));
  if (pref > 0) return pref;
  const types = [property.getParameter('type')].flat().join(',').toLowerCase();
  return types.split(',').includes('pref') ? 1 : 101;
}

const byRank = (properties: readonly ICAL.Property[]): ICAL.Property[] =>
  properties
    .map((property) => ({ property, rank: rankOf(property) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ property }) => property);

const pointsOf = (
  properties: readonly ICAL.Property[],
  labels: ReadonlyMap<string, string>,
): ContactPointValue[] =>
  byRank(properties).flatMap((property) => {
    const value = textOf(property);
    return value === null ? [] : [{ value, type: typeOf(property, labels) }];
  });

/** A postal address (RFC 6350 §6.3.1): box and extension become lines of the street. */
function addressOf(
  property: ICAL.Property,
  labels: ReadonlyMap<string, string>,
): PostalAddressValue {
  const [box, extension, street, city, region, postalCode, country] = partsOf(property, ', ');
  return {
    street: [street, extension, box].filter(Boolean).join('\n') || null,
    ...{ city: city ?? null, region: region ?? null, postalCode: postalCode ?? null },
    ...{ country: country ?? null, type: typeOf(property, labels) },
  };
}

/** The year by which Apple says that there is none (X-APPLE-OMIT-YEAR). */
const omittedYear = /^1604(?=-?\d\d-?\d\d$)/;

const birthdayOf = (text: string | null): string | null =>
  text === null ? null : birthdayIn(text.replace(omittedYear, '-'));

/** A number of a URI (RFC 3966) as people write it: its extension is a part of it. */
function withoutScheme({ value, type }: ContactPointValue): ContactPointValue {
  if (!/^tel:/i.test(value)) return { value, type };
  const [number = '', ...parameters] = value.slice('tel:'.length).split(';');
  const extension = parameters.flatMap((one) => /^ext=(.+)$/i.exec(one)?.[1] ?? [])[0];
  return { value: extension === undefined ? number : `${number} ext. ${extension}`, type };
}
