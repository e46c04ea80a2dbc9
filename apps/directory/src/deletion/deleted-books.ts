import { setTimeout as sleep } from 'node:timers/promises';
import type { EventActor, EventSource } from '@postroom/contracts';
import type { UnitOfWork } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { deleteContacts, firstContacts } from '../contacts/index.js';

/** A book that was deleted with its contacts, and by whom. */
interface DeletedBook {
  readonly tenantId: string;
  readonly id: string;
  readonly deletedBy: { readonly actor: EventActor; readonly source: EventSource };
}

const find = statement<DeletedBook>(
  'books.find_deleted',
  `SELECT tenant_id AS "tenantId", id, deleted_by AS "deletedBy" FROM deleted_books() WHERE $1::text IS NULL`,
);

const lock = statement<{ id: string }>(
  'books.lock_deleted',
  `SELECT id FROM address_books WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NOT NULL
   FOR UPDATE SKIP LOCKED`,
);

const erase = statement<object>(
  'books.erase',
  `WITH merged AS (DELETE FROM merged_contacts WHERE tenant_id = $1 AND book_id = $2)
   DELETE FROM address_books WHERE tenant_id = $1 AND id = $2`,
);

/** Contacts that are deleted in one transaction, each with its event. */
const batchSize = 200;

/**
 * Deletes a part of the contacts of a deleted book, with their events, and the book after the last of
 * them; nothing while another instance is doing it.
 * @returns whether something is left
 */
const deletePart = (work: UnitOfWork, { tenantId, id, deletedBy }: DeletedBook): Promise<boolean> =>
  work.run({ tenantId, ...deletedBy }, null, async (context) => {
    const [book] = await context.rows(lock, [id]);
    if (!book) return { value: false };
    const contacts = await firstContacts(context, id, batchSize);
    await deleteContacts(context, { id }, contacts);
    if (contacts.length === batchSize) return { value: true };
    await context.rows(erase, [id]);
    return { value: false };
  });

/** Deletes what is left of deleted books, those of all workspaces a part in turn. */
export async function sweepDeletedBooks(database: Database, work: UnitOfWork): Promise<void> {
  for (let books = await database.rows(find, [null]); books.length > 0;) {
    const left = [];
    for (const book of books) if (await deletePart(work, book)) left.push(book);
    books = left;
  }
}

/**
 * Sweeps every second.
 * @returns how to stop it: resolves when the sweep under way is over
 */
export function startSweeping(
  { database, work, log }: { database: Database; work: UnitOfWork; log: Log },
  everyMs = 1000,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sweeps = async (): Promise<void> => {
    while (!signal.aborted) {
      await sweepDeletedBooks(database, work).catch((err: unknown) => {
        log.warn({ err }, 'deleting the contacts of a deleted book failed, retrying');
      });
      await sleep(everyMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
  };
  const ended = sweeps();
  return async () => {
    stopping.abort();
    await ended;
  };
}
