import type { Contact, ContactItem } from '@postroom/contracts';
import { displayNameOf } from './contact-record.js';
import type { StoredContact } from './contact-row.js';

/** A contact as lists show it. */
export const contactItem = (contact: StoredContact): ContactItem => ({
  id: contact.id,
  bookId: contact.bookId,
  displayName: displayNameOf(contact),
  givenName: contact.givenName,
  familyName: contact.familyName,
  emails: [...contact.emails],
  phones: [...contact.phones],
  organization: contact.organization,
  jobTitle: contact.jobTitle,
  groups: [...contact.groups],
  notes: contact.notes,
  mergedFrom: [...contact.mergedFrom],
  author: contact.author,
  createdAt: contact.createdAt.toISOString(),
  updatedAt: contact.updatedAt.toISOString(),
  version: contact.version,
});

/** A contact in full. */
export const contactView = (contact: StoredContact): Contact => ({
  ...contactItem(contact),
  mergeLog: [...contact.mergeLog],
});
