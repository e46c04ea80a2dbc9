import { actorOf } from '@postroom/access';
import {
  contactMerging,
  invalidField,
  mergedFieldsMax,
  mergesMax,
  Problem,
  type ContactMerge,
  type LeftOut,
  type MergeContacts,
} from '@postroom/contracts';
import { previousOf, type Writing } from '@postroom/operations';
import { readerOf } from '../books/index.js';
import {
  about,
  changeContact,
  contactView,
  findContacts,
  lockContact,
  nextOf,
  removeContacts,
  requireOnlyOne,
  type StoredContact,
} from '../contacts/index.js';
import { absorbedFrom, leftOutOf, withAbsorbed, type Absorbed } from './absorb.js';
import { keepMerged } from './merged-contacts.js';

type Merging = Writing<typeof contactMerging.merge>;

/**
 * Merges contacts into one of their book. The lock on the book makes merges take turns, so that two that
 * would each absorb the other's survivor end with one of them not found.
 */
export async function mergeContacts(
  context: Merging,
  { survivorId, mergedIds }: MergeContacts,
): Promise<{ readonly survivor: StoredContact; readonly leftOut: LeftOut }> {
  context.subject(survivorId);
  const before = await lockContact(context, readerOf(context.caller), survivorId);
  const { book } = before;
  const merged = await findContacts(context, mergedIds);
  requireMergeable(before, merged, mergedIds);

  let survivor: StoredContact = before;
  const absorbed: { readonly contact: StoredContact; readonly absorbed: Absorbed }[] = [];
  for (const contact of merged) {
    const given = absorbedFrom(survivor, contact);
    const next = absorbing(context, survivor, contact, given);
    const previous = previousOf(contactView(survivor), contactView(next));
    context.emit({ ...about(next), type: 'contact.merged', data: contactView(next), previous });
    absorbed.push({ contact, absorbed: given });
    survivor = next;
  }

  // Before the survivor, which may get the address of one of them as its first.
  await removeContacts(context, book, mergedIds);
  await keepMerged(context, book, survivorId, absorbed);
  await requireOnlyOne(context, book, before, survivor);
  await changeContact(context, book, survivor);
  return { survivor, leftOut: leftOutOf(survivor, merged) };
}

function requireMergeable(
  survivor: StoredContact,
  merged: readonly StoredContact[],
  mergedIds: readonly string[],
): void {
  if (merged.length < mergedIds.length) throw new Problem('CONTACT_NOT_FOUND');
  if (merged.some(({ bookId }) => bookId !== survivor.bookId)) {
    const fr = 'les contacts fusionnés sont d’un même carnet';
    throw invalidField('mergedIds', fr, 'expected contacts of the survivor’s book');
  }
  const gained = merged.reduce((sum, { mergedFrom }) => sum + 1 + mergedFrom.length, 0);
  if (survivor.mergedFrom.length + gained > mergesMax) throw new Problem('TOO_MANY_MERGES');
}

/** A survivor once it has absorbed a contact, whose log goes over. */
function absorbing(
  context: Merging,
  survivor: StoredContact,
  { id, mergedFrom, mergeLog }: StoredContact,
  absorbed: Absorbed,
): StoredContact {
  const merge: ContactMerge = {
    at: context.at.toISOString(),
    by: actorOf(context.caller),
    mergedId: id,
    fields: Object.keys(absorbed).slice(0, mergedFieldsMax),
  };
  const log = [...survivor.mergeLog, ...mergeLog];
  return nextOf(context, survivor, {
    ...withAbsorbed(survivor, absorbed),
    mergedFrom: [...survivor.mergedFrom, ...mergedFrom, id],
    mergeLog: [...log.sort((one, other) => one.at.localeCompare(other.at)), merge],
  });
}
