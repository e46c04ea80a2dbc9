import { Problem } from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { Reader } from './reader.js';

/** What a caller may do with a book. */
export interface BookAccess {
  readonly canRead: boolean;
  readonly canWrite: boolean;
}

/** A book whose contacts are about to change. */
export interface LockedBook {
  readonly id: string;
  /** Mixed into the search grams of its contacts. */
  readonly salt: number;
}

const lock = statement<BookAccess & { salt: number }>(
  'books.lock',
  `SELECT salt, can_read AS "canRead", can_write AS "canWrite" FROM lock_book($1, $2, $3, $4)`,
);

const look = statement<BookAccess>(
  'books.look',
  'SELECT can_read AS "canRead", can_write AS "canWrite" FROM book_access($1, $2, $3, $4)',
);

/**
 * Locks a book for a change of its contacts, until the transaction ends.
 * @throws Problem BOOK_NOT_FOUND; FORBIDDEN where the reader may not write it
 */
export async function lockBook(
  { rows }: Pick<Changing, 'rows'>,
  { memberId, isAdmin }: Reader,
  id: string,
): Promise<LockedBook> {
  const [book] = await rows(lock, [memberId, isAdmin, id]);
  if (!book) throw new Problem('BOOK_NOT_FOUND');
  if (!book.canWrite) throw new Problem('FORBIDDEN');
  return { id, salt: book.salt };
}

/** @throws Problem BOOK_NOT_FOUND; FORBIDDEN where the reader may not read it */
export async function requireReadableBook(
  { rows }: Pick<Reading, 'rows'>,
  { memberId, isAdmin }: Reader,
  id: string,
): Promise<void> {
  const [book] = await rows(look, [memberId, isAdmin, id]);
  if (!book) throw new Problem('BOOK_NOT_FOUND');
  if (!book.canRead) throw new Problem('FORBIDDEN');
}
