import type { ReadTarget } from '@postroom/operations';
import type { Contact, ContactItem } from '@postroom/contracts';
import { findContacts } from './find-contacts.js';
import { displayNameOf } from './contact-record.js';
import type { StoredContact } from './store-contacts.js';

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
  addresses: [...contact.addresses],
  birthday: contact.birthday,
  urls: [...contact.urls],
  hasPhoto: contact.photo !== null,
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

/** A contact as the API shows it. */
export const contactTarget: ReadTarget = async (context, id) => {
  const [contact] = await findContacts(context, [id]);
  if (!contact) return null;
  const view = contactView(contact);
  const within = { type: 'book', id: contact.bookId } as const;
  return { type: 'contact', id, version: view.version, title: view.displayName, view, within };
};
