import { isAdministrator, mayReadBesideMail, memberOf } from '@postroom/access';
import {
  emailKey,
  emailValue,
  learntContacts,
  mailContactsConsumer,
  messageSenders,
  Problem,
  type BookChanged,
  type Contact,
  type ConversationItem,
  type EventEnvelope,
  type LearnContactPage,
  type ListedConversation,
  type MessageSender,
} from '@postroom/contracts';
import { handlers, type Consuming, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { ReadModel } from './read-models.js';

const contactsOf = statement<{ address: string; id: string; name: string }>(
  'contacts.of_addresses',
  'SELECT address, id, name FROM contacts_of($1, $2, $3, $4)',
);

/** An address of a message may be spelled otherwise than the directory stores it, or be invalid. */
const keyOf = (email: string): string => emailKey(emailValue(email) ?? email);

/** Conversations with the contacts of their outside senders, as far as the caller may read these. */
export async function withContacts<C extends ConversationItem>(
  { rows, caller }: Pick<Reading, 'rows' | 'caller'>,
  items: readonly C[],
): Promise<(C & ListedConversation)[]> {
  if (!mayReadBesideMail(caller, 'read:contacts'))
    return items.map((item) => ({ ...item, contact: null }));
  const keys = items.map(({ from }) => (from?.email ? keyOf(from.email) : null));
  const addresses = [...new Set(keys.filter((key) => key !== null))];
  const values = [memberOf(caller), isAdministrator(caller), addresses];
  const found = addresses.length > 0 ? await rows(contactsOf, values) : [];
  const byAddress = new Map(found.map(({ address, id, name }) => [address, { id, name }]));
  return items.map((item, i) => ({ ...item, contact: byAddress.get(keys[i] ?? '') ?? null }));
}

type Rows = Pick<Consuming, 'rows'>;

const learn = statement<object>(
  'contacts.learn',
  `SELECT learn_contact($1, c.id, c."bookId", c.name, c.addresses, c.sequence, c.at, c."isGone")
   FROM json_to_recordset($2) AS c (id text, "bookId" text, name text, addresses text[],
     sequence bigint, at timestamptz, "isGone" boolean)`,
);

const forget = statement<object>(
  'contacts.forget',
  `SELECT learn_contact($1, k.id, k.book_id, '', '{}', NULL, $4, true)
   FROM known_contacts k
   WHERE k.tenant_id = $1 AND k.id > $2 AND ($3::text IS NULL OR k.id <= $3) AND NOT k.is_gone
     AND k.as_of < $4::timestamptz - interval '1 minute' AND k.id <> ALL ($5::text[])
   ORDER BY k.id`,
);

/** Deletes rows older than a page of the rebuild: the page replaces them, even where its sequence is lower. */
const dropOlder = statement<object>(
  'contacts.drop_older',
  `DELETE FROM known_contacts WHERE tenant_id = $1 AND id = ANY ($2)
     AND as_of < $3::timestamptz - interval '1 minute'`,
);

const dropOlderBooks = statement<object>(
  'contacts.drop_older_books',
  `DELETE FROM known_books WHERE tenant_id = $1 AND id = ANY ($2)
     AND learnt_at < $3::timestamptz - interval '1 minute'`,
);

const learnBooks = statement<object>(
  'contacts.learn_books',
  `INSERT INTO known_books AS k (tenant_id, id, is_shared, member_ids, is_deleted, sequence)
   SELECT $1, b.id, b."isShared", b."memberIds", coalesce(b."isDeleted", false),
     -- Events of releases before the numbers have none.
     coalesce(b.sequence, 0)
   FROM json_to_recordset($2) AS b (id text, "isShared" boolean, "memberIds" text[],
     "isDeleted" boolean, sequence bigint)
   ON CONFLICT (tenant_id, id) DO UPDATE SET is_shared = excluded.is_shared,
     member_ids = excluded.member_ids, is_deleted = excluded.is_deleted,
     sequence = excluded.sequence, learnt_at = now()
   WHERE k.sequence <= excluded.sequence`,
);

/** A contact as the read model stores it. */
interface ContactRow {
  readonly id: string;
  readonly bookId: string;
  readonly name: string;
  /** In the form in which addresses are compared. */
  readonly addresses: readonly string[];
  /** The sequence of its event; null for a contact that a merge has ended. */
  readonly sequence: number | null;
  readonly at: string;
  readonly isGone: boolean;
}

/** Writes in the order of ids, so that two writers of the same contacts cannot deadlock. */
async function learnContactRows({ rows }: Rows, contacts: readonly ContactRow[]): Promise<void> {
  const ordered = contacts.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  await rows(learn, [JSON.stringify(ordered)]);
}

/**
 * Keeps the read model of contacts (who has which addresses, who may read which book) from the directory's
 * events; the directory is never asked.
 */
export const contactsModel: ReadModel = {
  consumer: mailContactsConsumer,
  apply: (consuming, { type, envelope }) =>
    type === 'book.changed'
      ? bookChanged(consuming, JSON.parse(envelope) as BookChanged)
      : contactChanged(consuming, JSON.parse(envelope) as EventEnvelope),
};

async function bookChanged({ rows }: Rows, { book }: BookChanged): Promise<void> {
  await rows(learnBooks, [JSON.stringify([book])]);
}

async function contactChanged(consuming: Rows, event: EventEnvelope): Promise<void> {
  const { type, occurredAt: at, sequence } = event;
  const { id, bookId, displayName, emails, mergedFrom } = event.data as Contact;
  const isGone = type === 'contact.deleted';
  const addresses = isGone ? [] : emails.map(({ value }) => emailKey(value));
  const known = { id, bookId, name: displayName, addresses, sequence, at, isGone };
  const ended = { bookId, name: '', addresses: [], sequence: null, at, isGone: true };
  const merged = type === 'contact.merged' ? mergedFrom : [];
  await learnContactRows(consuming, [known, ...merged.map((one) => ({ ...ended, id: one }))]);
}

/**
 * Stores a page of the directory's data. Events go on meanwhile: a row that an event wrote within a minute of
 * the page, or later, stays where its sequence is higher, or where the page lacks it.
 */
async function learnPage(
  { rows }: Rows,
  { books, contacts, from, after, at }: LearnContactPage,
): Promise<void> {
  await rows(dropOlderBooks, [books.map(({ id }) => id), at]);
  await rows(learnBooks, [JSON.stringify(books)]);
  const learnt = contacts.map(({ changedAt, addresses, ...contact }) => ({
    ...contact,
    ...{ addresses: addresses.map(emailKey), at: changedAt, isGone: false },
  }));
  const ids = contacts.map(({ id }) => id);
  await rows(dropOlder, [ids, at]);
  await learnContactRows({ rows }, learnt);
  await rows(forget, [from, after, at, ids]);
}

/** Takes pages of the directory's data from the gateway when the read model of contacts is rebuilt. */
export const LearntContactsHandlers = handlers(learntContacts, {
  learn: async (context, page) => {
    await learnPage(context, page);
    return { ok: true };
  },
});

const find = statement<MessageSender>(
  'contacts.find_sender',
  'SELECT sender FROM find_sender($1, $2, $3)',
);

/** Answers the sender of a message, for a contact that is made from it. */
export const MessageSendersHandlers = handlers(messageSenders, {
  find: async ({ rows, caller }, { messageId }) => {
    const [found] = await rows(find, [memberOf(caller), messageId]);
    if (!found) throw new Problem('MESSAGE_NOT_FOUND');
    return found;
  },
});
