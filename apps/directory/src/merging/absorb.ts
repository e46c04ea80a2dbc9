import {
  contactLimits,
  emailKey,
  phoneKey,
  sameText,
  type ContactPointValue,
  type LeftOut,
} from '@postroom/contracts';
import { emptyRecord, phoneInE164, type ContactRecord } from '../contacts/index.js';

const texts = ['givenName', 'familyName', 'organization', 'jobTitle', 'notes'] as const;
const lists = ['emails', 'phones', 'groups'] as const;

/** Values that a survivor has taken over from a contact: texts and entries that it lacked. */
export type Absorbed = Partial<ContactRecord>;

interface Entries<T> {
  readonly max: number;
  readonly keyOf: (entry: T) => string;
}

const emails: Entries<ContactPointValue> = {
  max: contactLimits.emails,
  keyOf: ({ value }) => emailKey(value),
};
const phones: Entries<ContactPointValue> = {
  max: contactLimits.phones,
  // Two spellings of one number are one.
  keyOf: ({ value }) => phoneInE164(value) ?? phoneKey(value),
};
const groups: Entries<string> = { max: contactLimits.groups, keyOf: sameText };

/** The entries of other lists that a list has not, each once. */
function absent<T>(own: readonly T[], others: readonly T[], { keyOf }: Entries<T>): T[] {
  const known = new Set(own.map(keyOf));
  const found = new Map<string, T>();
  for (const entry of others) {
    const key = keyOf(entry);
    if (!known.has(key) && !found.has(key)) found.set(key, entry);
  }
  return [...found.values()];
}

/** The entries of another list that a list has not, as far as there is room for them. */
const missing = <T>(own: readonly T[], other: readonly T[], entries: Entries<T>): T[] =>
  absent(own, other, entries).slice(0, Math.max(0, entries.max - own.length));

/** The entries of a list without some; null when one of those is not in it as it was. */
function without<T>(own: readonly T[], taken: readonly T[], { keyOf }: Entries<T>): T[] | null {
  const valueOf = (entry: T): string => JSON.stringify(entry);
  const known = new Map(own.map((entry) => [keyOf(entry), valueOf(entry)]));
  if (taken.some((entry) => known.get(keyOf(entry)) !== valueOf(entry))) return null;
  const keys = new Set(taken.map(keyOf));
  return own.filter((entry) => !keys.has(keyOf(entry)));
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
    emails: missing(survivor.emails, merged.emails, emails),
    phones: missing(survivor.phones, merged.phones, phones),
    groups: missing(survivor.groups, merged.groups, groups),
  };
  return Object.fromEntries(Object.entries(all).filter(isSomething));
}

/** Entries of the merged contacts for which the survivor had no room, and notes beside its own. */
export function leftOutOf(survivor: ContactRecord, merged: readonly ContactRecord[]): LeftOut {
  const left = <T>(listOf: (one: ContactRecord) => readonly T[], entries: Entries<T>): T[] =>
    absent(listOf(survivor), merged.flatMap(listOf), entries);
  return {
    emails: left((one) => one.emails, emails),
    phones: left((one) => one.phones, phones),
    groups: left((one) => one.groups, groups),
    notes: merged.flatMap(({ notes }) =>
      notes === null || notes === survivor.notes ? [] : [notes],
    ),
  };
}

/** A survivor with what it absorbs. */
export function withAbsorbed(survivor: ContactRecord, absorbed: Absorbed): ContactRecord {
  const { emails: more = [], phones: numbers = [], groups: others = [], ...lacking } = absorbed;
  return {
    ...recordOf(survivor),
    ...lacking,
    emails: [...survivor.emails, ...more],
    phones: [...survivor.phones, ...numbers],
    groups: [...survivor.groups, ...others],
  };
}

/** A survivor that gives back what it had absorbed; null when something of it has changed since. */
export function withoutAbsorbed(survivor: ContactRecord, absorbed: Absorbed): ContactRecord | null {
  const names = [...texts, 'displayName' as const].filter((name) => absorbed[name] !== undefined);
  if (names.some((name) => survivor[name] !== absorbed[name])) return null;
  const left = {
    emails: without(survivor.emails, absorbed.emails ?? [], emails),
    phones: without(survivor.phones, absorbed.phones ?? [], phones),
    groups: without(survivor.groups, absorbed.groups ?? [], groups),
  };
  if (lists.some((name) => left[name] === null)) return null;
  const cleared = Object.fromEntries(names.map((name) => [name, null]));
  return { ...recordOf(survivor), ...cleared, ...left } as ContactRecord;
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
  const among = <T>(list: readonly T[] = [], taken: readonly T[] = [], { keyOf }: Entries<T>) => {
    const keys = new Set(taken.map(keyOf));
    return list.filter((entry) => keys.has(keyOf(entry)));
  };
  const same = {
    ...Object.fromEntries(Object.entries(all).filter(([name]) => name in givenBack)),
    emails: among(all.emails, givenBack.emails, emails),
    phones: among(all.phones, givenBack.phones, phones),
    groups: among(all.groups, givenBack.groups, groups),
  };
  return Object.fromEntries(Object.entries(same).filter(isSomething));
}

/** The values that a contact gave, with more of them. */
export const withBoth = (absorbed: Absorbed, more: Absorbed): Absorbed => ({
  ...absorbed,
  ...more,
  emails: [...(absorbed.emails ?? []), ...(more.emails ?? [])],
  phones: [...(absorbed.phones ?? []), ...(more.phones ?? [])],
  groups: [...(absorbed.groups ?? []), ...(more.groups ?? [])],
});

const recordNames = Object.keys(emptyRecord) as (keyof ContactRecord)[];

/** The record of a contact, without its other fields. */
const recordOf = (contact: ContactRecord): ContactRecord =>
  Object.fromEntries(recordNames.map((name) => [name, contact[name]])) as unknown as ContactRecord;
