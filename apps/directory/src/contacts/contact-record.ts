import { createHash } from 'node:crypto';
import {
  contactLimits,
  contactTexts,
  emailKey,
  isVisible,
  sameText,
  tidyGroups,
  type ContactContent,
  type ContactPointValue,
  type PostalAddressValue,
} from '@postroom/contracts';

/** The content of a contact, as it is stored. */
export interface ContactRecord {
  /** The display name that was given; null where it is derived. */
  readonly displayName: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly emails: readonly ContactPointValue[];
  readonly phones: readonly ContactPointValue[];
  readonly organization: string | null;
  readonly jobTitle: string | null;
  readonly groups: readonly string[];
  readonly notes: string | null;
  readonly addresses: readonly PostalAddressValue[];
  /** `YYYY-MM-DD` or `--MM-DD`. */
  readonly birthday: string | null;
  readonly urls: readonly ContactPointValue[];
  /** SHA-256 of its photo, in hexadecimal. */
  readonly photo: string | null;
}

/** An empty contact. */
export const emptyRecord: ContactRecord = {
  displayName: null,
  givenName: null,
  familyName: null,
  emails: [],
  phones: [],
  organization: null,
  jobTitle: null,
  groups: [],
  notes: null,
  addresses: [],
  birthday: null,
  urls: [],
  photo: null,
};

const tidyText = (given: string | null): string | null => {
  const text = given?.trim() ?? '';
  return isVisible(text) ? text : null;
};

/** A record with what is given of it: undefined keeps the value, null clears it. */
export function withGiven(before: ContactRecord, given: ContactContent): ContactRecord {
  const texts = Object.fromEntries(
    contactTexts.map((name) => {
      const text = given[name];
      return [name, text === undefined ? before[name] : tidyText(text)];
    }),
  ) as Pick<ContactRecord, (typeof contactTexts)[number]>;
  const listOf = <T>(list: readonly T[] | null | undefined, otherwise: readonly T[]) =>
    list === undefined ? otherwise : (list ?? []);
  return {
    ...texts,
    emails: listOf(given.emails, before.emails),
    phones: listOf(given.phones, before.phones),
    addresses: listOf(given.addresses, before.addresses),
    birthday: given.birthday === undefined ? before.birthday : given.birthday,
    urls: listOf(given.urls, before.urls),
    photo: before.photo,
    groups: given.groups === undefined ? before.groups : tidyGroups(given.groups ?? []),
  };
}

const shortened = (text: string): string =>
  [...text].slice(0, contactLimits.displayName).join('').trim();

/** Its name: given, or derived in the order of public-api.md §2. */
export function displayNameOf(record: ContactRecord): string {
  const { displayName, givenName, familyName, emails, organization } = record;
  const fullName = [givenName, familyName].filter((name) => name !== null).join(' ');
  return shortened(displayName ?? (fullName || (emails[0]?.value ?? organization ?? '')));
}

/** SHA-256 of the deduplication key of a contact in its book: the primary address, or else the name. */
export function dedupeKeyOf(record: ContactRecord): Buffer {
  const [primary] = record.emails;
  const key = primary
    ? `email ${emailKey(primary.value)}`
    : `name ${sameText(displayNameOf(record))}`;
  return createHash('sha256').update(key).digest();
}
