import { actorOf } from '@postroom/access';
import {
  contactImportSteps,
  type ContactContent,
  type ContactCounts,
  type TakeContacts,
} from '@postroom/contracts';
import type { Writing } from '@postroom/operations';
import { lockBook, readerOf, type LockedBook } from '../books/index.js';
import {
  addContact,
  dedupeKeyOf,
  emptyRecord,
  findSameContact,
  isOnlyOne,
  rewriteContact,
  withGiven,
} from '../contacts/index.js';
import { readEntry, type ReadEntry } from './given-entry.js';
import { readCsv, tableOf, type Table } from './csv.js';
import { readVcard } from './read-vcard.js';
import { Unreadable } from './vcard-text.js';

type Importing = Writing<typeof contactImportSteps.take>;

/**
 * Stores the next entries of an import: as creation does, each with its event.
 * @param limit how many contacts the workspace may have
 * @throws Problem QUOTA_EXCEEDED
 */
export async function importContacts(
  context: Importing,
  input: TakeContacts,
  limit: number,
): Promise<ContactCounts> {
  const { bookId, entries, first, dryRun } = input;
  context.subject(bookId);
  const book = await lockBook(context, readerOf(context.caller), bookId);
  const counts: ContactCounts = { created: 0, updated: 0, unreadable: [], warnings: [] };
  const read = readerOfEntries(input);
  // A dry run knows what of its own step it would have created.
  const wouldBe = new Set<string>();
  for (const [i, entry] of entries.entries()) {
    const place = first + i + 1;
    try {
      const { content, leftOut } = read(entry);
      const done = dryRun
        ? await judge(context, book, content, wouldBe)
        : await store(context, book, content, limit);
      counts[done]++;
      if (leftOut.length > 0)
        counts.warnings.push({ entry: place, reason: shortened(leftOut.join('; ')) });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      counts.unreadable.push({ entry: place, reason: shortened(error.message) });
    }
  }
  return counts;
}

const shortened = (reason: string): string => [...reason].slice(0, 200).join('');

/** Makes the reader of a file's entries; a header without a known column makes every row unreadable. */
function readerOfEntries({ mediaType, header }: TakeContacts): (entry: string) => ReadEntry {
  let table: Table | Unreadable | null = null;
  const ofTable = (): Table => {
    table ??= asUnreadable(() => tableOf(bytesOf(header)));
    if (table instanceof Unreadable) throw table;
    return table;
  };
  return (entry) => {
    const bytes = bytesOf(entry);
    return readEntry(mediaType === 'text/csv' ? readCsv(bytes, ofTable()) : readVcard(bytes));
  };
}

function asUnreadable<T>(read: () => T): T | Unreadable {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

/** @throws Unreadable for what the gateway has left out */
function bytesOf(entry: string): Buffer {
  if (entry === '-') throw new Unreadable('larger than 256 KiB, or cut short');
  return Buffer.from(entry, 'base64');
}

async function store(
  context: Importing,
  book: LockedBook,
  given: ContactContent,
  limit: number,
): Promise<'created' | 'updated'> {
  const record = withGiven(emptyRecord, given);
  const same = await findSameContact(context, book, record);
  if (!same) {
    await addContact(context, book, record, actorOf(context.caller), limit);
    return 'created';
  }
  const overwritten = withGiven(same, given);
  if (!(await isOnlyOne(context, book, same, overwritten)))
    throw new Unreadable('it would become another contact of the book');
  await rewriteContact(context, book, same, overwritten);
  return 'updated';
}

async function judge(
  context: Importing,
  book: LockedBook,
  given: ContactContent,
  wouldBe: Set<string>,
): Promise<'created' | 'updated'> {
  const record = withGiven(emptyRecord, given);
  const key = dedupeKeyOf(record).toString('hex');
  if (wouldBe.has(key) || (await findSameContact(context, book, record))) return 'updated';
  wouldBe.add(key);
  return 'created';
}
