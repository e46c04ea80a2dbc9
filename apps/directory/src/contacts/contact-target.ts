import type { ReadTarget } from '@postroom/operations';
import { contactView } from './contact.view.js';
import { findContacts } from './find-contacts.js';

/** A contact as the API shows it. */
export const contactTarget: ReadTarget = async (context, id) => {
  const [contact] = await findContacts(context, [id]);
  if (!contact) return null;
  const view = contactView(contact);
  const within = { type: 'book', id: contact.bookId } as const;
  return { type: 'contact', id, version: view.version, title: view.displayName, view, within };
};
