import { directoryPersons, type ErasePerson, type ErasureStep } from '@postroom/contracts';
import { handlers, type Reading, type Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import {
  contactView,
  deleteContacts,
  findContacts,
  readContacts,
  type StoredContact,
} from './contacts/index.js';

const scan = statement<{ id: string | null; bookId: string; scanned: string | null }>(
  'persons.contacts',
  'SELECT id, book_id AS "bookId", scanned FROM person_contacts($1, $2, $3, $4)',
);

const lockBooks = statement<object>(
  'persons.lock_books',
  'SELECT id FROM address_books WHERE tenant_id = $1 AND id = ANY ($2) ORDER BY id FOR NO KEY UPDATE',
);

const forgetMerged = statement<object>(
  'persons.forget_merged',
  `DELETE FROM merged_contacts m WHERE m.tenant_id = $1 AND EXISTS (
     SELECT FROM json_array_elements(m.record->'emails') e WHERE lower(e->>'value') = $2)`,
);

/** Contacts that are looked at in one step. */
const scannedMax = 500;

/** Contacts of correspondents: their export and erasure (`decisions.md` §9). */
export const PersonsHandlers = handlers(directoryPersons, {
  export: async (context, { email, after: from }) => {
    const { found, after } = await nextContacts(context, email, from);
    const contacts = await readContacts(
      context,
      found.map(({ id }) => id),
    );
    const lines = contacts.map((data) =>
      JSON.stringify({ type: 'contact', data: contactView(data) }),
    );
    return { lines: lines.map((line) => `${line}\n`).join(''), after };
  },
  erase: (context, input) => erase(context, input),
});

async function nextContacts({ rows }: Pick<Reading, 'rows'>, email: string, from: string) {
  const answered = await rows(scan, [email, from, scannedMax]);
  const found = answered.flatMap(({ id, bookId }) => (id === null ? [] : [{ id, bookId }]));
  return { found, after: answered.find(({ id }) => id === null)?.scanned ?? null };
}

/** Deletes the contacts of a step, of whichever books; what was merged goes with the last of them. */
async function erase(
  context: Writing<typeof directoryPersons.erase>,
  { email, dryRun, after: from }: ErasePerson,
): Promise<ErasureStep> {
  const { found, after } = await nextContacts(context, email, from);
  const step = { messages: 0, mentions: 0, drafts: 0, contacts: found.length, events: 0, after };
  if (dryRun) return step;
  const books = [...new Set(found.map(({ bookId }) => bookId))].toSorted();
  await context.rows(lockBooks, [books]);
  const ids = found.map(({ id }) => id);
  const contacts: StoredContact[] = await findContacts(context, ids);
  for (const id of books) {
    await deleteContacts(
      context,
      { id },
      contacts.filter(({ bookId }) => bookId === id),
    );
  }
  if (after === null) await context.rows(forgetMerged, [email]);
  return { ...step, contacts: contacts.length };
}
