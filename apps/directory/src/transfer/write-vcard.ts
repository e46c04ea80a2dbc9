import type { ContactAddress, ContactItem } from '@postroom/contracts';
import ICAL from 'ical.js';
import { isTypeParameter } from './read-vcard.js';

// Octets of a line (RFC 6350 §3.2, RFC 5545 §3.1): the space of one that goes on is not counted.
ICAL.foldLength = 74;

/** Controls but a line end, which a value may have in its escaped form (RFC 6350 §3.4). */
const controls = /(?!\n)\p{Cc}+/gu;
const inert = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(controls, ' ');

/** A text as it is escaped (RFC 6350 §3.4), for a property whose kind ical.js does not know. */
const escaped = (text: string): string =>
  inert(text).replaceAll(/[\\,;\n]/g, (one) => (one === '\n' ? String.raw`\n` : `\\${one}`));

/** The properties of a card, in the order in which they are added. */
class Card {
  private readonly card = new ICAL.Component('vcard');
  private labels = 0;

  add(name: string, value: string | string[] | null, type: string | null = null): void {
    if (value === null) return;
    const property = new ICAL.Property(name, this.card);
    // A number is a text: as a URI it would be escaped, and begin with `tel:`.
    if (name === 'tel') property.resetType('text');
    if (!Array.isArray(value)) property.setValue(inert(value));
    else if (name === 'categories') property.setValues(value.map(inert));
    else property.setValue(value.map(inert));
    if (type !== null && isTypeParameter(type)) property.setParameter('type', type);
    this.card.addProperty(property);
    if (type !== null && !isTypeParameter(type)) this.label(property, type);
  }

  /** Says what a property is for in a property beside it, as Apple and Google do for what is no token. */
  private label(property: ICAL.Property, text: string): void {
    const label = new ICAL.Property('x-ablabel', this.card);
    const group = `item${++this.labels}`;
    for (const one of [property, label]) one.setParameter('group', group);
    label.setValue(escaped(text));
    this.card.addProperty(label);
  }

  toString(): string {
    return `${this.card.toString()}\r\n`;
  }
}

const nameOf = ({ givenName, familyName }: ContactItem): string[] | null =>
  givenName === null && familyName === null
    ? null
    : [familyName ?? '', givenName ?? '', '', '', ''];

/** The parts of ADR (RFC 6350 §6.3.1), of which box and extension should be empty. */
const partsOf = ({ street, city, region, postalCode, country }: ContactAddress): string[] => [
  ...['', ''],
  ...[street, city, region, postalCode, country].map((part) => part ?? ''),
];

/** A contact as a card of vCard 4.0. */
export function writeVcard(contact: ContactItem): string {
  const { organization, groups } = contact;
  const card = new Card();
  card.add('version', '4.0');
  card.add('uid', `urn:postroom:${contact.id}`);
  card.add('fn', contact.displayName);
  card.add('n', nameOf(contact));
  for (const { value, type } of contact.emails) card.add('email', value, type);
  for (const { value, type } of contact.phones) card.add('tel', value, type);
  card.add('org', organization === null ? null : [organization]);
  card.add('title', contact.jobTitle);
  card.add('categories', groups.length > 0 ? groups : null);
  card.add('note', contact.notes);
  for (const address of contact.addresses ?? []) card.add('adr', partsOf(address), address.type);
  card.add('bday', contact.birthday ?? null);
  for (const { value, type } of contact.urls ?? []) card.add('url', value, type);
  return card.toString();
}
