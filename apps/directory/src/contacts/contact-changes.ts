import { newId, type Creator, type EventType } from '@postroom/contracts';
import { previousOf, requireRoomFor, type Changing, type EmittedEvent } from '@postroom/operations';
import type { LockedBook } from '../books/index.js';
import type { ContactRecord } from './contact-record.js';
import { contactView } from './contact.view.js';
import {
  changeContact,
  forgetMerged,
  insertContact,
  removeContacts,
  type StoredContact,
} from './store-contacts.js';

type Change = Pick<Changing, 'rows' | 'at'>;
type Emit<E extends EventType> = { readonly emit: (event: EmittedEvent<E>) => void };

/**
 * Adds a contact that its book has not.
 * @param limit how many the workspace may have
 * @throws Problem QUOTA_EXCEEDED
 */
export async function addContact(
  context: Change & Emit<'contact.created'>,
  book: LockedBook,
  record: ContactRecord,
  author: Creator,
  limit: number,
): Promise<StoredContact> {
  await requireRoomFor(context, 'contacts', limit);
  const { at } = context;
  const contact: StoredContact = {
    ...record,
    id: newId('ctc'),
    bookId: book.id,
    mergedFrom: [],
    mergeLog: [],
    author,
    createdAt: at,
    updatedAt: at,
    version: 1,
    sequence: 1,
  };
  await insertContact(context, book, contact, true);
  context.emit({ ...about(contact), type: 'contact.created', data: contactView(contact) });
  return contact;
}

/**
 * Stores a change of a contact.
 * @returns the unchanged one where nothing differs
 */
export async function rewriteContact(
  context: Change & Emit<'contact.updated'>,
  book: LockedBook,
  before: StoredContact,
  record: ContactRecord,
): Promise<StoredContact> {
  const contact = nextOf(context, before, record);
  const previous = previousOf(contactView(before), contactView(contact));
  if (Object.keys(previous).length === 0 && contact.photo === before.photo) return before;
  await changeContact(context, book, contact);
  context.emit({
    ...about(contact),
    type: 'contact.updated',
    data: contactView(contact),
    previous,
  });
  return contact;
}

/** Deletes contacts of a locked book. */
export async function deleteContacts(
  context: Change & Emit<'contact.deleted'>,
  book: Pick<LockedBook, 'id'>,
  contacts: readonly StoredContact[],
): Promise<void> {
  const ids = contacts.map(({ id }) => id);
  await removeContacts(context, book, ids);
  await forgetMerged(context, ids);
  for (const contact of contacts) {
    const { sequence } = contact;
    const resource = { type: 'contact', id: contact.id } as const;
    const data = contactView(contact);
    context.emit({ type: 'contact.deleted', resource, sequence: sequence + 1, data });
  }
}

/** A contact as its next version, with something changed of it. */
export const nextOf = (
  { at }: Pick<Changing, 'at'>,
  before: StoredContact,
  changed: Partial<StoredContact>,
): StoredContact => ({
  ...before,
  ...changed,
  // A clock that was set back does not move it back in the order of changes.
  updatedAt: at > before.updatedAt ? at : before.updatedAt,
  version: before.version + 1,
  sequence: before.sequence + 1,
});

/** The fields of an event beside its data. */
export const about = ({ id, sequence }: StoredContact) => ({
  resource: { type: 'contact', id } as const,
  sequence,
});
