export { emptyRecord, type ContactRecord } from './contact-record.js';
export { about, addContact, deleteContacts, nextOf, previousOf } from './contact-changes.js';
export { contactItem, contactView } from './contact.view.js';
export { ContactsModule } from './contacts.module.js';
export { likenessReasons } from './likely-same.js';
export {
  changeContact,
  findContacts,
  findSameContact,
  firstContacts,
  insertContact,
  lockContact,
  readContacts,
  removeContacts,
  requireOnlyOne,
  type StoredContact,
} from './stored-contacts.js';
