import { isDeepStrictEqual } from 'node:util';
import { actorOf } from '@postroom/access';
import {
  addressBooks,
  bookLists,
  booksMax,
  listed,
  listedMax,
  newId,
  Problem,
  type BookAccessValue,
} from '@postroom/contracts';
import { handlers, requireVersion } from '@postroom/operations';
import { usableBooks } from './book-access.js';
import {
  changeBook,
  countBooks,
  findBook,
  insertBook,
  listBooks,
  removeBook,
} from './stored-books.js';

const membersIn = (access: BookAccessValue): string[] =>
  access === 'workspace' ? [] : access.map(({ member }) => member);

/** The books that a caller may use. */
export const BookListsHandlers = handlers(bookLists, {
  addressBooks: async (context) => {
    const { all, truncated } = listed(await usableBooks(context, listedMax));
    return { addressBooks: all, truncated };
  },
});

/** Address books, for administrators. */
export const BooksHandlers = handlers(addressBooks, {
  list: async (context) => ({ items: await listBooks(context), nextPageToken: null }),

  create: async (context, { name, access }) => {
    if ((await countBooks(context)) >= booksMax) throw new Problem('TOO_MANY_BOOKS');
    const id = newId('abk');
    context.subject(id);
    await insertBook(context, id, { name: name.trim(), access });
    return { book: await findBook(context, id) };
  },

  update: async (context, { id, ifMatch, name, access }) => {
    const before = await findBook(context, id);
    requireVersion(before, ifMatch);
    context.allowUnknown('access', membersIn(before.access));
    const next = { name: name?.trim() ?? before.name, access: access ?? before.access };
    if (isDeepStrictEqual(next, { name: before.name, access: before.access }))
      return { book: before };
    await changeBook(context, id, next);
    return { book: await findBook(context, id) };
  },

  remove: async (context, { id, ifMatch, force }) => {
    const book = await findBook(context, id);
    requireVersion(book, ifMatch);
    if (book.contactCount > 0 && !force) throw new Problem('BOOK_NOT_EMPTY');
    const { caller } = context;
    await removeBook(context, id, { actor: actorOf(caller), source: caller.source });
    return { ok: true };
  },
});
