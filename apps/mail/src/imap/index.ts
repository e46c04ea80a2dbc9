export { ImapConnection } from './connection.js';
export { dial } from './dial.js';
export { faultOf, type SyncFault } from './faults.js';
export { MailboxOwner } from './owner.js';
export { MailboxSyncsHandlers } from './mailbox-syncs.handlers.js';
