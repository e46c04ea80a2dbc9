import type { SealedColumn } from '@postroom/access';

const inMailboxes = <Column extends string>(column: Column, field: string) => ({
  ...{ table: 'mailboxes', column, field, key: 'id' },
  context: `mail.mailboxes.${column}:`,
});

/** The columns of a mailbox in which a secret is sealed, by their names. */
export const mailboxSeals = {
  outgoing: inMailboxes('outgoing', 'sealedPassword'),
  imap: inMailboxes('imap', 'sealedPassword'),
  dkim: inMailboxes('dkim', 'sealedPrivateKey'),
} satisfies Record<string, SealedColumn>;
