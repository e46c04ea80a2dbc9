export { ImapConnection, type ImapAccount } from './connection.js';
export { faultOf, type SyncFault } from './faults.js';
export { ImapLogins, MailboxOwner } from './owner.js';
export { MailboxSyncsHandlers } from './mailbox-syncs.handlers.js';
