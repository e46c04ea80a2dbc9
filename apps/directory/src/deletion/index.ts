export { startSweeping } from './deleted-books.js';
