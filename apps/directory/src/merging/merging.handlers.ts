import { contactMerging } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { contactView } from '../contacts/index.js';
import { listDuplicates } from './duplicates.js';
import { mergeContacts } from './merge-contacts.js';
import { unmergeContact } from './unmerge-contact.js';

/** Duplicates and their merging, by members who may write the book. */
export const MergingHandlers = handlers(contactMerging, {
  merge: async (context, input) => {
    const { survivor, leftOut } = await mergeContacts(context, input);
    return { contact: contactView(survivor), leftOut };
  },

  unmerge: async (context, { mergedId }) => {
    const { contact, survivor } = await unmergeContact(context, mergedId);
    return { contact: contactView(contact), survivor: contactView(survivor) };
  },

  duplicates: (context, { bookId }) => listDuplicates(context, bookId),
});
