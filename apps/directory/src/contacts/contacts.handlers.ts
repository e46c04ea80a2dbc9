import { actorOf } from '@postroom/access';
import { bookGiven, contactGiven, contacts, isContact, Problem } from '@postroom/contracts';
import { handlers, requireVersion } from '@postroom/operations';
import { DirectoryConfig } from '../config.js';
import { lockBook, readerOf } from '../books/index.js';
import { addContact, deleteContacts, rewriteContact } from './contact-changes.js';
import {
  findSameContact,
  listContacts,
  listGroups,
  lockContact,
  readContact,
  requireOnlyOne,
} from './find-contacts.js';
import { emptyRecord, withGiven } from './contact-record.js';
import { contactItem, contactTarget, contactView } from './contact.view.js';
import { photoAnswer } from './photos.js';

/** Contacts of the books that the caller's member may use. */
export const ContactsHandlers = handlers(
  contacts,
  [DirectoryConfig],
  ({ quotaContacts }) => ({
    list: (context, input) => listContacts(context, input),

    groups: (context, input) => listGroups(context, input),

    get: async (context, { id }) => ({
      contact: contactView(await readContact(context, readerOf(context.caller), id)),
    }),

    photo: async (context, { id }) =>
      photoAnswer(context, await readContact(context, readerOf(context.caller), id)),

    create: async (context, input) => {
      const given = contactGiven(input);
      const record = withGiven(emptyRecord, given);
      const book = await lockBook(context, readerOf(context.caller), bookGiven(input) ?? '');
      const same = await findSameContact(context, book, record);
      if (!same) {
        const contact = await addContact(
          context,
          book,
          record,
          actorOf(context.caller),
          quotaContacts,
        );
        context.subject(contact.id);
        return { contact: contactItem(contact) };
      }
      context.subject(same.id);
      context.existed();
      const overwritten = withGiven(same, given);
      await requireOnlyOne(context, book, same, overwritten);
      const contact = await rewriteContact(context, book, same, overwritten);
      return { contact: contactItem(contact), existed: true };
    },

    update: async (context, input) => {
      const before = await lockContact(context, readerOf(context.caller), input.id);
      requireVersion(before, input.ifMatch);
      const record = withGiven(before, contactGiven(input));
      if (!isContact(record)) throw new Problem('EMPTY_CONTACT');
      await requireOnlyOne(context, before.book, before, record);
      const contact = await rewriteContact(context, before.book, before, record);
      return { contact: contactItem(contact) };
    },

    remove: async (context, { id, ifMatch }) => {
      const contact = await lockContact(context, readerOf(context.caller), id);
      requireVersion(contact, ifMatch);
      await deleteContacts(context, contact.book, [contact]);
      return { ok: true };
    },
  }),
  { target: contactTarget },
);
