import type { Mailbox, MailServer } from '@postroom/contracts';
import type { StoredServer, MailboxEntity } from './mailbox.entity.js';

/** A mailbox as settings show it: without any secret. */
export const mailboxView = (mailbox: MailboxEntity): Mailbox => ({
  id: mailbox.id,
  address: mailbox.address,
  name: mailbox.name,
  automation: mailbox.automation,
  access: mailbox.access,
  outgoing: mailbox.outgoing && serverView(mailbox.outgoing),
  imap: mailbox.imap && serverView(mailbox.imap),
  dkim: mailbox.dkim && { selector: mailbox.dkim.selector },
  createdAt: mailbox.createdAt.toISOString(),
  updatedAt: mailbox.updatedAt.toISOString(),
  version: mailbox.version,
});

const serverView = ({ host, port, secure, user }: StoredServer): MailServer => ({
  host,
  port,
  secure,
  user,
});
