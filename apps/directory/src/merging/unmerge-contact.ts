import { contactMerging, isContact, Problem } from '@postroom/contracts';
import { previousOf, type Writing } from '@postroom/operations';
import { lockBook, readerOf } from '../books/index.js';
import {
  about,
  changeContact,
  contactView,
  findContacts,
  findSameContact,
  insertContact,
  nextOf,
  requireOnlyOne,
  type ContactRecord,
  type StoredContact,
} from '../contacts/index.js';
import { stillGiven, withAbsorbed, withBoth, withoutAbsorbed } from './absorb.js';
import {
  dropMerged,
  findMerged,
  findMergedBeside,
  keepAbsorbed,
  type MergedContact,
} from './merged-contacts.js';

type Unmerging = Writing<typeof contactMerging.unmerge>;

/** The two contacts that a merge had made one. */
interface Parted {
  readonly contact: StoredContact;
  readonly survivor: StoredContact;
}

/** Undoes a merge: the contact is as it was, and the survivor gives back what it had absorbed. */
export async function unmergeContact(context: Unmerging, id: string): Promise<Parted> {
  context.subject(id);
  const where = await findMerged(context, id);
  if (!where) throw new Problem('CONTACT_NOT_FOUND');
  const book = await lockBook(context, readerOf(context.caller), where.bookId);
  // Again, now that no other request can undo it.
  const merged = await findMerged(context, id);
  if (!merged) throw new Problem('CONTACT_NOT_FOUND');
  const [before] = await findContacts(context, [merged.survivorId]);
  const alone = before && withoutAbsorbed(before, merged.absorbed);
  if (!alone) throw new Problem('MERGE_CHANGED');
  const left = await withOthers(context, alone, merged, before.mergedFrom);
  if (!isContact(left)) throw new Problem('MERGE_CHANGED');

  const survivor = nextOf(context, before, { ...left, ...logWithout(before, merged) });
  const contact = nextOf(context, merged.contact, {});
  await requireOnlyOne(context, book, before, survivor);
  await changeContact(context, book, survivor);
  await requireFree(context, book.id, contact);
  await insertContact(context, book, contact, false);
  await dropMerged(context, id);

  context.emit({ ...about(contact), type: 'contact.created', data: contactView(contact) });
  const previous = previousOf(contactView(before), contactView(survivor));
  context.emit({
    ...about(survivor),
    ...{ type: 'contact.updated', data: contactView(survivor), previous },
  });
  return { contact, survivor };
}

/** A survivor with what those that are still merged into it gave as well, which is theirs from now on. */
async function withOthers(
  context: Unmerging,
  alone: ContactRecord,
  merged: MergedContact,
  order: readonly string[],
): Promise<ContactRecord> {
  let left = alone;
  for (const { contact, absorbed } of await findMergedBeside(context, merged, order)) {
    const given = stillGiven(left, contact, merged.absorbed);
    if (Object.keys(given).length === 0) continue;
    left = withAbsorbed(left, given);
    await keepAbsorbed(context, contact.id, withBoth(absorbed, given));
  }
  return left;
}

/** The log of a survivor without a merge and those that had come with it. */
function logWithout(survivor: StoredContact, { contact }: MergedContact) {
  const gone = new Set([contact.id, ...contact.mergedFrom]);
  return {
    mergedFrom: survivor.mergedFrom.filter((id) => !gone.has(id)),
    mergeLog: survivor.mergeLog.filter(({ mergedId }) => !gone.has(mergedId)),
  };
}

/** @throws Problem CONTACT_EXISTS when the book has the contact again meanwhile */
async function requireFree(
  context: Unmerging,
  bookId: string,
  record: ContactRecord,
): Promise<void> {
  const same = await findSameContact(context, { id: bookId }, record);
  if (same) throw new Problem('CONTACT_EXISTS');
}
