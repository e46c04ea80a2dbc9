export {
  dedupeKeyOf,
  displayNameOf,
  emptyRecord,
  withGiven,
  type ContactRecord,
} from './contact-record.js';
export {
  about,
  addContact,
  deleteContacts,
  nextOf,
  previousOf,
  rewriteContact,
} from './contact-changes.js';
export { contactItem, contactView } from './contact.view.js';
export { ContactsModule } from './contacts.module.js';
export { likenessReasons } from './likely-same.js';
export { searchOf } from './search-text.js';
export { valuesOf, type StoredContact } from './contact-row.js';
export {
  findContacts,
  findSameContact,
  firstContacts,
  isOnlyOne,
  lockContact,
  readBookAfter,
  readContacts,
  requireOnlyOne,
} from './find-contacts.js';
export { changeContact, insertContact, removeContacts } from './store-contacts.js';
