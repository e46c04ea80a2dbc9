export {
  lockBook,
  readerOf,
  requireReadableBook,
  visibleBooks,
  type LockedBook,
  type Reader,
} from './book-access.js';
export { BooksHandlers } from './books.handlers.js';
