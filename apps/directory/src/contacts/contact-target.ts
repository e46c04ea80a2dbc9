import type { ReadTarget } from '@postroom/operations';
import { readerOf } from '../books/index.js';
import { contactView } from './contact.view.js';
import { findContact } from './stored-contacts.js';

/** A contact of a book that the caller may read, as the API shows it. */
export const contactTarget: ReadTarget = async (context, id) => {
  const contact = await findContact(context, readerOf(context.caller), id);
  if (!contact) return null;
  const view = contactView(contact);
  const { version, displayName: title, bookId } = view;
  return { type: 'contact', id, version, title, view, within: { type: 'book', id: bookId } };
};
