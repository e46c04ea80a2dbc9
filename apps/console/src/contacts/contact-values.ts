import type { ContactAddress, ContactItem } from '@postroom/contracts';

export interface Point {
  readonly value: string;
  readonly type: string | null;
}

/** A contact as its form holds it. */
export interface ContactValues {
  readonly displayName: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly organization: string;
  readonly jobTitle: string;
  readonly emails: readonly Point[];
  readonly phones: readonly Point[];
  readonly urls: readonly Point[];
  readonly addresses: readonly ContactAddress[];
  readonly birthday: string;
  readonly groups: readonly string[];
  readonly notes: string;
}

export const contactLabels: Readonly<Record<keyof ContactValues, string>> = {
  ...{ displayName: 'Name', givenName: 'Given name', familyName: 'Family name', notes: 'Notes' },
  ...{ organization: 'Organization', jobTitle: 'Job title', emails: 'Mail', phones: 'Phones' },
  ...{ urls: 'Web pages', addresses: 'Postal addresses', birthday: 'Birthday', groups: 'Groups' },
};

export const emptyContact: ContactValues = {
  ...{ displayName: '', givenName: '', familyName: '', organization: '', jobTitle: '' },
  ...{ emails: [], phones: [], urls: [], addresses: [], birthday: '', groups: [], notes: '' },
};

export const emptyAddress: ContactAddress = {
  ...{ street: '', city: '', region: '', postalCode: '', country: '', type: null },
};

export function contactValues(contact: ContactItem): ContactValues {
  const { displayName, emails, phones, groups, urls = [], addresses = [] } = contact;
  return {
    ...{ displayName, emails, phones, groups, urls, addresses },
    ...{ givenName: contact.givenName ?? '', familyName: contact.familyName ?? '' },
    ...{ organization: contact.organization ?? '', jobTitle: contact.jobTitle ?? '' },
    ...{ birthday: contact.birthday ?? '', notes: contact.notes ?? '' },
  };
}

/** The fields that were changed, as they are sent: an empty text clears. */
export const contactChanges = (
  values: ContactValues,
  changed: readonly string[],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([field]) => changed.includes(field))
      .map(([field, value]: [string, unknown]) => [field, value === '' ? null : value]),
  );
