import type { VisibleContainers } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { readerOf } from './reader.js';

const visible = statement<{ id: string }>(
  'books.visible',
  'SELECT book_id AS id FROM visible_books($1, $2, $3, $4)',
);

/** The books that the caller may read, or might when they were deleted. */
export const visibleBooks: VisibleContainers = async ({ rows, caller }, containers) => {
  const { memberId, isAdmin } = readerOf(caller);
  const named = containers.filter(({ type }) => type === 'book').map(({ id }) => id);
  const found = await rows(visible, [memberId, isAdmin, named]);
  return found.map(({ id }) => ({ type: 'book', id }));
};
