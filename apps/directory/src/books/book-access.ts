import { Problem, type UsableBook } from '@postroom/contracts';
import type { Changing, Reading, VisibleContainers } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { isAdministrator, memberOf, type Caller } from '@postroom/access';

/** A member (or none) whose access to books is checked. */
export interface Reader {
  readonly memberId: string;
  /** An administrator sees and writes every book. */
  readonly isAdmin: boolean;
}

/** The reader behind a caller; operations on contacts need a member (public-api.md §4, rule 4). */
export const readerOf = (caller: Caller): Reader => ({
  memberId: memberOf(caller) ?? '',
  isAdmin: isAdministrator(caller),
});

/** The rights of a caller on a book. */
interface BookAccess {
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

const visible = statement<{ id: string }>(
  'books.visible',
  'SELECT book_id AS id FROM visible_books($1, $2, $3, $4)',
);

const usable = statement<UsableBook>(
  'books.usable',
  'SELECT id, name, access FROM usable_books($1, $2, $3, $4)',
);

/** The books that the caller's member may use, by name. */
export function usableBooks(
  { rows, caller }: Pick<Reading, 'rows' | 'caller'>,
  limit: number,
): Promise<UsableBook[]> {
  const { memberId, isAdmin } = readerOf(caller);
  return rows(usable, [memberId, isAdmin, limit]);
}

/** The books that the caller may read, or might when they were deleted. */
export const visibleBooks: VisibleContainers = async ({ rows, caller }, containers) => {
  const { memberId, isAdmin } = readerOf(caller);
  const named = containers.filter(({ type }) => type === 'book').map(({ id }) => id);
  const found = await rows(visible, [memberId, isAdmin, named]);
  return found.map(({ id }) => ({ type: 'book', id }));
};
