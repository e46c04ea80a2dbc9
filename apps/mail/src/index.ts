export { MailConfig } from './config.js';
export { domainOwner, giveDomain, takeDomainAway } from './domains/index.js';
export { createMailApp, mailService, type MailApp } from './mail-app.js';
export { MailboxEntity, restoreMailbox, setDkimKey } from './mailboxes/index.js';
export { mailSchema } from './migrations/index.js';
export { parseQuery, searchArguments } from './search/index.js';
export { storeSearchDocuments, type Indexed } from './search/search-document.js';
