import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import {
  emailKey,
  mailContactsConsumer,
  type BookChanged,
  type Contact,
  type EventEnvelope,
} from '@postroom/contracts';
import { consumeOnce, type Consuming } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';

const learnContact = statement<object>(
  'contacts.learn',
  'SELECT learn_contact($1, $2, $3, $4, $5, $6, $7, $8)',
);

const learnBook = statement<object>(
  'contacts.learn_book',
  `INSERT INTO known_books (tenant_id, id, is_shared, member_ids, is_deleted)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (tenant_id, id) DO UPDATE SET is_shared = excluded.is_shared,
     member_ids = excluded.member_ids, is_deleted = excluded.is_deleted`,
);

/**
 * Keeps what conversations show of contacts by the events of the directory, which is never asked for it: who
 * has which addresses, and who may read which book.
 */
export const learnContacts = (bus: Bus, database: Database): Promise<Unsubscribe> =>
  bus.subscribe(mailContactsConsumer, ['contacts', 'books'], async (event: EventRecord) => {
    await consumeOnce(database, mailContactsConsumer, event, (consuming) =>
      event.type === 'book.changed'
        ? bookChanged(consuming, JSON.parse(event.envelope) as BookChanged)
        : contactChanged(consuming, JSON.parse(event.envelope) as EventEnvelope),
    );
  });

async function bookChanged({ rows }: Consuming, { book }: BookChanged): Promise<void> {
  await rows(learnBook, [book.id, book.isShared, book.memberIds, book.isDeleted]);
}

async function contactChanged(consuming: Consuming, event: EventEnvelope): Promise<void> {
  const { type, occurredAt, sequence } = event;
  const contact = event.data as Contact;
  const isGone = type === 'contact.deleted';
  const addresses = isGone ? [] : contact.emails.map(({ value }) => emailKey(value));
  const { id, bookId, displayName } = contact;
  const known = [id, bookId, displayName, addresses];
  await consuming.rows(learnContact, [...known, sequence, occurredAt, isGone]);
  if (type !== 'contact.merged') return;
  for (const merged of contact.mergedFrom) {
    await consuming.rows(learnContact, [merged, bookId, '', [], null, occurredAt, true]);
  }
}
