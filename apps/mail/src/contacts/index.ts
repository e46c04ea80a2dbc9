export { withContacts } from './contacts-beside-mail.js';
export { learnContacts } from './learn-contacts.js';
