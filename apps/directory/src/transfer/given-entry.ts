import {
  contactLimits,
  contactTexts,
  isContact,
  tidyGroups,
  validEmails,
  validPhones,
  type ContactContent,
  type ContactPointValue,
} from '@postroom/contracts';
import { Unreadable } from './vcard-text.js';

/** What an entry of a file says, before it is held to the limits of a contact. */
export interface GivenEntry {
  readonly displayName: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly emails: readonly ContactPointValue[];
  readonly phones: readonly ContactPointValue[];
  readonly organization: string | null;
  readonly jobTitle: string | null;
  readonly groups: readonly string[];
  readonly notes: string | null;
}

/** Controls that a line of text may not have. */
const controls = /[\p{Cc}\u2028\u2029]+/gu;

const cut = (text: string, max: number): string => [...text].slice(0, max).join('');

/**
 * A contact from an entry: what is too long is cut and what is too many left out, since a file is not
 * mended by whoever imports it; what the entry does not say is not given.
 *
 * @throws Unreadable
 */
export function contentOf(entry: GivenEntry): ContactContent {
  const texts = contactTexts.map((name) => {
    const given = (entry[name] ?? '').toWellFormed().replaceAll('\u0000', '');
    const line = name === 'notes' ? given : given.replaceAll(controls, ' ');
    return [name, cut(line.trim(), contactLimits[name])] as const;
  });
  const groups = entry.groups
    .map((group) => cut(group.toWellFormed().replaceAll(controls, ' ').trim(), contactLimits.group))
    .filter((group) => group !== '');
  const content = Object.fromEntries(
    Object.entries({
      ...Object.fromEntries(texts),
      emails: validEmails(entry.emails).slice(0, contactLimits.emails),
      phones: validPhones(entry.phones).slice(0, contactLimits.phones),
      groups: tidyGroups(groups).slice(0, contactLimits.groups),
    }).filter(([, value]) => value.length > 0),
  );
  if (!isContact(content)) throw new Unreadable('no name, address or organization');
  return content;
}
