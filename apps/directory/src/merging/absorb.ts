import {
  contactLimits,
  emailKey,
  phoneKey,
  postalKey,
  sameText,
  urlKey,
  type ContactPointValue,
  type LeftOut,
  type PostalAddressValue,
} from '@postroom/contracts';
import { emptyRecord, phoneInE164, type ContactRecord } from '../contacts/index.js';

const texts = [
  ...([
    'givenName',
    'familyName',
    'organization',
    'jobTitle',
    'notes',
    'birthday',
    'photo',
  ] as const),
];
const lists = ['emails', 'phones', 'groups', 'addresses', 'urls'] as const;
type ListName = (typeof lists)[number];
type Lists = Pick<ContactRecord, ListName>;
type Entry = ContactPointValue | PostalAddressValue | string;

/** Values that a survivor has taken over from a contact: texts and entries that it lacked. */
export type Absorbed = Partial<ContactRecord>;

/** The bound of a list, and what makes two of its entries the same. */
interface Entries {
  readonly max: number;
  /** It is given entries of its own list alone. */
  readonly keyOf: (entry: Entry) => string;
}

const entries = <N extends ListName>(
  name: N,
  keyOf: (entry: Lists[N][number]) => string,
): Entries => ({ max: contactLimits[name], keyOf });

const kinds: Readonly<Record<ListName, Entries>> = {
  emails: entries('emails', ({ value }) => emailKey(value)),
  // Two spellings of one number are one.
  phones: entries('phones', ({ value }) => phoneInE164(value) ?? phoneKey(value)),
  groups: entries('groups', sameText),
  addresses: entries('addresses', postalKey),
  urls: entries('urls', ({ value }) => urlKey(value)),
};

/** The lists of a contact, each made from its name and the kind of its entries. */
const eachList = (make: (name: ListName, kind: Entries) => readonly Entry[]): Lists =>
  Object.fromEntries(lists.map((name) => [name, make(name, kinds[name])])) as unknown as Lists;

/** The entries of other lists that a list has not, each once. */
function absent(own: readonly Entry[], others: readonly Entry[], { keyOf }: Entries): Entry[] {
  const known = new Set(own.map(keyOf));
  const found = new Map<string, Entry>();
  for (const entry of others) {
    const key = keyOf(entry);
    if (!known.has(key) && !found.has(key)) found.set(key, entry);
  }
  return [...found.values()];
}

/** The entries of another list that a list has not, as far as there is room for them. */
const missing = (own: readonly Entry[], other: readonly Entry[], kind: Entries): Entry[] =>
  absent(own, other, kind).slice(0, Math.max(0, kind.max - own.length));

/** True if all entries taken are in a list as they were. */
function hasAll(own: readonly Entry[], taken: readonly Entry[], { keyOf }: Entries): boolean {
  const valueOf = (entry: Entry): string => JSON.stringify(entry);
  const known = new Map(own.map((entry) => [keyOf(entry), valueOf(entry)]));
  return taken.every((entry) => known.get(keyOf(entry)) === valueOf(entry));
}

/** The entries of a list that are among others, or that are not. */
function those(
  which: 'among' | 'beside',
  own: readonly Entry[],
  others: readonly Entry[],
  { keyOf }: Entries,
): Entry[] {
  const keys = new Set(others.map(keyOf));
  return own.filter((entry) => keys.has(keyOf(entry)) === (which === 'among'));
}

const isNameless = ({ displayName, givenName, familyName }: ContactRecord): boolean =>
  displayName === null && givenName === null && familyName === null;

const isSomething = ([, value]: [string, unknown]): boolean =>
  !Array.isArray(value) || value.length > 0;

/** The values that the survivor of a merge takes over from a contact. */
export function absorbedFrom(survivor: ContactRecord, merged: ContactRecord): Absorbed {
  const lacking = texts.filter((name) => survivor[name] === null && merged[name] !== null);
  // The name by which a contact is known stays, so one is taken only where it was derived from no name.
  const isNamed = isNameless(survivor) && merged.displayName !== null;
  const all = {
    ...(isNamed && { displayName: merged.displayName }),
    ...Object.fromEntries(lacking.map((name) => [name, merged[name]])),
    ...eachList((name, kind) => missing(survivor[name], merged[name], kind)),
  };
  return Object.fromEntries(Object.entries(all).filter(isSomething));
}

/** Entries of the merged contacts for which the survivor had no room, and notes beside its own. */
export function leftOutOf(survivor: ContactRecord, merged: readonly ContactRecord[]): LeftOut {
  const left = eachList((name, kind) => {
    const all = merged.flatMap((one): readonly Entry[] => one[name]);
    return absent(survivor[name], all, kind);
  });
  return {
    ...(left as Pick<LeftOut, ListName>),
    notes: merged.flatMap(({ notes }) =>
      notes === null || notes === survivor.notes ? [] : [notes],
    ),
  };
}

/** A survivor with what it absorbs. */
export function withAbsorbed(survivor: ContactRecord, absorbed: Absorbed): ContactRecord {
  const both = eachList((name) => [...survivor[name], ...(absorbed[name] ?? [])]);
  return { ...recordOf(survivor), ...absorbed, ...both };
}

/** A survivor that gives back what it had absorbed; null when something of it has changed since. */
export function withoutAbsorbed(survivor: ContactRecord, absorbed: Absorbed): ContactRecord | null {
  const names = [...texts, 'displayName' as const].filter((name) => absorbed[name] !== undefined);
  if (names.some((name) => survivor[name] !== absorbed[name])) return null;
  if (lists.some((name) => !hasAll(survivor[name], absorbed[name] ?? [], kinds[name]))) return null;
  const cleared = Object.fromEntries(names.map((name) => [name, null]));
  const left = eachList((name, kind) =>
    those('beside', survivor[name], absorbed[name] ?? [], kind),
  );
  return { ...recordOf(survivor), ...cleared, ...left };
}

/**
 * The values just given back that another, still merged contact had too: it did not give them when
 * the survivor lacked it no more.
 */
export function stillGiven(
  survivor: ContactRecord,
  other: ContactRecord,
  givenBack: Absorbed,
): Absorbed {
  const all = absorbedFrom(survivor, other);
  const same = {
    ...Object.fromEntries(Object.entries(all).filter(([name]) => name in givenBack)),
    ...eachList((name, kind) => those('among', all[name] ?? [], givenBack[name] ?? [], kind)),
  };
  return Object.fromEntries(Object.entries(same).filter(isSomething));
}

/** The values that a contact gave, with more of them. */
export const withBoth = (absorbed: Absorbed, more: Absorbed): Absorbed => ({
  ...absorbed,
  ...more,
  ...eachList((name) => [...(absorbed[name] ?? []), ...(more[name] ?? [])]),
});

const recordNames = Object.keys(emptyRecord) as (keyof ContactRecord)[];

/** The record of a contact, without its other fields. */
const recordOf = (contact: ContactRecord): ContactRecord =>
  Object.fromEntries(recordNames.map((name) => [name, contact[name]])) as unknown as ContactRecord;
