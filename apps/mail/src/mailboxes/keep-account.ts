import { Problem, type MailServer } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { MailboxAccountEntity, type StoredTokens } from './mailbox-account.entity.js';
import { MailboxEntity, type StoredServer } from './mailbox.entity.js';

/** @throws Problem MAILBOX_NOT_FOUND */
export async function lockMailbox(
  { manager }: Pick<Changing, 'manager'>,
  id: string,
): Promise<MailboxEntity> {
  const lock = { mode: 'pessimistic_write' } as const;
  const mailbox = await manager.findOne(MailboxEntity, { where: { id }, lock });
  if (!mailbox) throw new Problem('MAILBOX_NOT_FOUND');
  return mailbox;
}

/** A member's consent to an account, as it is stored. */
export interface Consent {
  readonly provider: string;
  readonly tokens: StoredTokens;
}

const otherReader = statement<{ other: string | null }>(
  'mailboxes.other_reader',
  'SELECT other_reader($1, $2, $3) AS other',
);

/** True if another mailbox reads the account at a server: two would do everything twice there. */
export async function isReadElsewhere(
  { rows }: Pick<Changing, 'rows'>,
  mailboxId: string,
  server: MailServer | null,
): Promise<boolean> {
  if (!server?.user) return false;
  // The two ports of IMAP lead to the same account.
  const login = `${server.host}:${String(server.port).replace('143', '993')} ${server.user}`;
  const [answer] = await rows(otherReader, [mailboxId, login]);
  return typeof answer?.other === 'string';
}

/**
 * Keeps the account of a mailbox in step with the server that it is read from: there is one exactly where that server
 * can be logged in to.
 * @param before the server until this change
 * @param consent where it has just been given
 * @throws Problem ACCOUNT_CONNECTED if another mailbox reads it, of whichever workspace
 */
export async function keepAccount(
  { manager, rows, tenantId }: Pick<Changing, 'manager' | 'rows' | 'tenantId'>,
  { id: mailboxId, imap }: MailboxEntity,
  before: StoredServer | null,
  consent: Consent | null = null,
): Promise<MailboxAccountEntity | null> {
  const found = await manager.findOneBy(MailboxAccountEntity, { mailboxId });
  if (found && !consent && isSameLogin(imap, before)) return found;
  if (consent || hasPassword(imap)) {
    if (await isReadElsewhere({ rows }, mailboxId, imap)) throw new Problem('ACCOUNT_CONNECTED');
    const account =
      found ?? manager.create(MailboxAccountEntity, { tenantId, mailboxId, ...defaults });
    const logins = account.logins + 1;
    return manager.save(Object.assign(account, loginOf(consent), { logins, refreshingBy: null }));
  }
  if (found) await manager.remove(found);
  return null;
}

const hasPassword = (server: StoredServer | null): boolean =>
  typeof server?.sealedPassword === 'string';

const loginOf = (consent: Consent | null) =>
  consent
    ? { kind: 'oauth' as const, ...consent }
    : { kind: 'password' as const, provider: null, tokens: null };

const defaults = { twoWay: false, sentCopy: 'auto', historyDays: 90, logins: 0 } as const;

const isSameLogin = (one: StoredServer | null, other: StoredServer | null): boolean =>
  textOf(one) === textOf(other);

const textOf = (server: StoredServer | null): string =>
  JSON.stringify(
    server && [server.host, server.port, server.secure, server.user, server.sealedPassword],
  );
