export { PersonsHandlers } from './persons.handlers.js';
