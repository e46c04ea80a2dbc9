export { SenderContactsHandlers } from './sender-contacts.handlers.js';
