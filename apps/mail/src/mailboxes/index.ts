export { MailServerTargets } from './mail-server-targets.js';
export { isReadElsewhere, keepAccount, lockMailbox } from './keep-account.js';
export { MailboxAccountEntity, type StoredTokens } from './mailbox-account.entity.js';
export { accountSeals, MailboxSecrets, mailboxSeals } from './mailbox-secrets.js';
export { MailboxEntity, mailboxView, type StoredServer } from './mailbox.entity.js';
export { MailboxesHandlers } from './mailboxes.handlers.js';
export { setDkimKey } from './set-dkim-key.js';
export { restoreMailbox } from './restore-mailbox.js';
export { requireSharedMailbox, visibleInMail } from './visible-mailboxes.js';
