import { actorOf } from '@postroom/access';
import {
  contactImportSteps,
  sameText,
  type ContactContent,
  type EntryCounts,
  type TakeContacts,
} from '@postroom/contracts';
import type { Writing } from '@postroom/operations';
import { lockBook, readerOf, type LockedBook } from '../books/index.js';
import {
  addContact,
  dedupeKeyOf,
  displayNameOf,
  emptyRecord,
  findContacts,
  findSameContact,
  isOnlyOne,
  rewriteContact,
  keepPhoto,
  withGiven,
  type StoredContact,
} from '../contacts/index.js';
import type { DirectoryConfig } from '../config.js';
import { readEntry, type ReadEntry } from './given-entry.js';
import { readCsv, tableOf, type Table } from './csv.js';
import { readVcard } from './read-vcard.js';
import { Unreadable } from './vcard-text.js';

type Quotas = Pick<DirectoryConfig, 'quotaContacts' | 'quotaStoredBytes'>;
type Importing = Writing<typeof contactImportSteps.take>;

/**
 * Stores the next entries of an import: as creation does, each with its event.
 * @param quotas how many contacts the workspace may have, and how many bytes it may store
 * @throws Problem QUOTA_EXCEEDED
 */
export async function importContacts(
  context: Importing,
  input: TakeContacts,
  quotas: Quotas,
): Promise<EntryCounts> {
  const { bookId, entries, places, dryRun } = input;
  context.subject(bookId);
  const book = await lockBook(context, readerOf(context.caller), bookId);
  const counts: EntryCounts = { created: 0, updated: 0, unreadable: [], warnings: [] };
  const read = readerOfEntries(input);
  // A dry run knows what of its own step it would have created.
  const wouldBe = new Set<string>();
  for (const [i, entry] of entries.entries()) {
    const place = places[i] ?? 0;
    try {
      const given = read(entry);
      const same = await sameAs(context, book, given);
      const done = dryRun
        ? judge(given.content, same, wouldBe)
        : await store(context, book, given, { same, quotas });
      counts[done]++;
      const warnings = [...given.leftOut, ...overwritten(given.content, same)];
      if (warnings.length > 0)
        counts.warnings.push({ entry: place, reason: shortened(warnings.join('; ')) });
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
  if (entry === '-') throw new Unreadable('too large, or cut short');
  return Buffer.from(entry, 'base64');
}

/** The contact of the book that an entry overwrites: the one that it was exported from, or the one that is the same. */
async function sameAs(
  context: Importing,
  book: LockedBook,
  { content, exportedFrom }: ReadEntry,
): Promise<StoredContact | null> {
  const [exported] = exportedFrom === null ? [] : await findContacts(context, [exportedFrom]);
  if (exported?.bookId === book.id) return exported;
  return findSameContact(context, book, withGiven(emptyRecord, content));
}

/** A warning: an entry overwrites a contact of another name. */
function overwritten(content: ContactContent, same: StoredContact | null): string[] {
  if (!same) return [];
  const [before, now] = [displayNameOf(same), displayNameOf(withGiven(same, content))];
  return sameText(before) === sameText(now)
    ? []
    : [`overwrites the contact ${before.slice(0, 60)}`];
}

async function store(
  context: Importing,
  book: LockedBook,
  { content, photo }: ReadEntry,
  { same, quotas }: { readonly same: StoredContact | null; readonly quotas: Quotas },
): Promise<'created' | 'updated'> {
  const { quotaContacts, quotaStoredBytes } = quotas;
  const given = withGiven(same ?? emptyRecord, content);
  const kept = photo && (await keepPhoto(context, photo, quotaStoredBytes));
  const record = { ...given, photo: kept ?? given.photo };
  if (!same) {
    await addContact(context, book, record, actorOf(context.caller), quotaContacts);
    return 'created';
  }
  if (!(await isOnlyOne(context, book, same, record)))
    throw new Unreadable('it would become another contact of the book');
  await rewriteContact(context, book, same, record);
  return 'updated';
}

function judge(
  given: ContactContent,
  same: StoredContact | null,
  wouldBe: Set<string>,
): 'created' | 'updated' {
  const key = dedupeKeyOf(withGiven(emptyRecord, given)).toString('hex');
  if (same || wouldBe.has(key)) return 'updated';
  wouldBe.add(key);
  return 'created';
}
