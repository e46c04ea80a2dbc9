export { withContacts } from './contacts-beside-mail.js';
export { ContactsModule } from './contacts.module.js';
export { learnContacts } from './learn-contacts.js';
