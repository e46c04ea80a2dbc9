import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import {
  emailKey,
  mailContactsConsumer,
  eventConsumers,
  type BookChanged,
  type Contact,
  type EventEnvelope,
  type LearnContactPage,
} from '@postroom/contracts';
import { consumeOnce, type Consuming } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';

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

/** What was known of them before a page was read: it says more, even where its numbers are lower. */
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

/** What is learnt of a contact. */
interface Learnt {
  readonly id: string;
  readonly bookId: string;
  readonly name: string;
  /** As they are compared. */
  readonly addresses: readonly string[];
  /** Number of its event; null of one that a merge has ended. */
  readonly sequence: number | null;
  readonly at: string;
  readonly isGone: boolean;
}

/** In the order of their ids, so that two that learn the same contacts do not wait for each other. */
async function learnAll({ rows }: Rows, contacts: readonly Learnt[]): Promise<void> {
  const ordered = contacts.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  await rows(learn, [JSON.stringify(ordered)]);
}

/**
 * Keeps what conversations show of contacts by the events of the directory, which is never asked for it: who
 * has which addresses, and who may read which book.
 */
export const learnContacts = (bus: Bus, database: Database): Promise<Unsubscribe> =>
  bus.subscribe(
    mailContactsConsumer,
    eventConsumers[mailContactsConsumer].groups,
    async (event: EventRecord) => {
      await consumeOnce(database, mailContactsConsumer, event, (consuming) =>
        event.type === 'book.changed'
          ? bookChanged(consuming, JSON.parse(event.envelope) as BookChanged)
          : contactChanged(consuming, JSON.parse(event.envelope) as EventEnvelope),
      );
    },
  );

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
  await learnAll(consuming, [known, ...merged.map((one) => ({ ...ended, id: one }))]);
}

/**
 * Takes over a page of what the directory has. Events go on meanwhile: what they told within a minute of the
 * page, or later, stays where its number is higher, or where the page lacks it.
 */
export async function learnPage(
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
  await learnAll({ rows }, learnt);
  await rows(forget, [from, after, at, ids]);
}
