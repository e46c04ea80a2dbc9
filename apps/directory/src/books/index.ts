export {
  lockBook,
  readerOf,
  requireReadableBook,
  visibleBooks,
  type LockedBook,
  type Reader,
} from './book-access.js';
export { makeFirstBook } from './first-book.js';
export { BookListsHandlers, BooksHandlers } from './books.handlers.js';
