export { MailServerTargets } from './mail-server-targets.js';
export { MailboxSecrets } from './mailbox-secrets.js';
export { MailboxEntity } from './mailbox.entity.js';
export { MailboxesModule } from './mailboxes.module.js';
export * from './plain.js';
export { restoreMailbox } from './restore-mailbox.js';
export * from './visible-mailboxes.js';
