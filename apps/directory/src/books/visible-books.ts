import type { VisibleContainers } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { readerOf } from './reader.js';

const visible = statement<{ id: string }>(
  'books.visible',
  'SELECT visible_books($1, $2, $3, $4) AS id',
);

/** The address books that a member may read. */
export const visibleBooks: VisibleContainers = async ({ rows, caller }, containers) => {
  const { memberId, isAdmin } = readerOf(caller);
  const named = containers.filter(({ type }) => type === 'book').map(({ id }) => id);
  const found = await rows(visible, [memberId, isAdmin, named]);
  return found.map(({ id }) => ({ type: 'book', id }));
};
