import { actorOf } from '@postroom/access';
import { keptSenders, Problem, type ContactContent, type KeepSender } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { lockBook, readerOf } from './books/index.js';
import {
  addContact,
  contactItem,
  emptyRecord,
  findSameContact,
  withGiven,
} from './contacts/index.js';
import { DirectoryConfig } from './config.js';
import { contentOf, Unreadable } from './transfer/index.js';

/** Contacts made of the senders of messages. */
export const SendersHandlers = handlers(keptSenders, [DirectoryConfig], ({ quotaContacts }) => ({
  keep: async (context, sender) => {
    const record = withGiven(emptyRecord, contentOfSender(sender));
    const book = await lockBook(context, readerOf(context.caller), sender.bookId);
    const same = await findSameContact(context, book, record);
    if (same) {
      context.subject(same.id);
      context.existed();
      return { contact: contactItem(same), existed: true };
    }
    const contact = await addContact(context, book, record, actorOf(context.caller), quotaContacts);
    context.subject(contact.id);
    return { contact: contactItem(contact) };
  },
}));

/** Name and address as a stranger wrote them, held to the limits of a contact. @throws Problem EMPTY_CONTACT */
function contentOfSender({ email, name }: KeepSender): ContactContent {
  try {
    return contentOf({
      ...emptyRecord,
      displayName: name === email ? null : name,
      emails: [{ value: email, type: null }],
    });
  } catch (error) {
    if (error instanceof Unreadable) throw new Problem('EMPTY_CONTACT', { cause: error });
    throw error;
  }
}
