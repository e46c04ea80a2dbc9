export { lockBook, requireReadableBook, type LockedBook } from './locked-book.js';
export { readerOf, type Reader } from './reader.js';
export { BooksModule } from './books.module.js';
export { visibleBooks } from './visible-books.js';
