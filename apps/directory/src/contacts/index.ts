export {
  dedupeKeyOf,
  displayNameOf,
  emptyRecord,
  withGiven,
  type ContactRecord,
} from './contact-record.js';
export { about, addContact, deleteContacts, nextOf, rewriteContact } from './contact-changes.js';
export { contactItem, contactView } from './contact.view.js';
export { ContactsHandlers } from './contacts.handlers.js';
export { likenessReasons, phoneInE164 } from './likely-same.js';
export { keepPhoto, photoType, purgePhotos, readPhoto } from './photos.js';
export { searchOf } from './search-text.js';
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
export {
  changeContact,
  insertContact,
  removeContacts,
  valuesOf,
  type StoredContact,
} from './store-contacts.js';
