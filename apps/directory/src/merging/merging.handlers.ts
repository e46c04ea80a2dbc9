import {
  contactMerging,
  duplicateReasons,
  duplicatesMax,
  type DuplicateList,
  type DuplicatePair,
} from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { readerOf, requireReadableBook } from '../books/index.js';
import { contactItem, contactView, likenessReasons, readContacts } from '../contacts/index.js';
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

const list = statement<{ one: string; other: string; kinds: (keyof typeof likenessReasons)[] }>(
  'merging.list_duplicates',
  'SELECT one, other, kinds FROM list_duplicates($1, $2, $3)',
);

/** Pairs of contacts of a book that are likely to be the same, the likeliest first. */
async function listDuplicates(context: Reading, bookId: string): Promise<DuplicateList> {
  await requireReadableBook(context, readerOf(context.caller), bookId);
  const pairs = await context.rows(list, [bookId, duplicatesMax]);
  const ids = new Set(pairs.flatMap(({ one, other }) => [one, other]));
  const contacts = await readContacts(context, [...ids]);
  const byId = new Map(contacts.map((contact) => [contact.id, contactItem(contact)]));
  const items = pairs.flatMap(({ one, other, kinds }): DuplicatePair[] => {
    const both = [byId.get(one), byId.get(other)].filter((contact) => contact !== undefined);
    const given = new Set<string>(kinds.map((kind) => likenessReasons[kind]));
    const reasons = duplicateReasons.filter((reason) => given.has(reason));
    // One of them may have been merged or deleted since.
    return both.length === 2 ? [{ contacts: both, reasons }] : [];
  });
  return { items, nextPageToken: null };
}
