import {
  invalidField,
  mailboxAccounts,
  mailboxConsents,
  mailSettings,
  Problem,
  type MailboxAnswer,
  type RemoveMailboxAccount,
  type SetMailboxAccount,
} from '@postroom/contracts';
import { handlers, requireVersion, type Writing } from '@postroom/operations';
import { domainHolder, domainOfAddress } from '../domains/index.js';
import {
  keepAccount,
  lockMailbox,
  MailboxAccountEntity,
  MailboxEntity,
  MailboxSecrets,
  MailServerTargets,
  mailboxView,
  type StoredServer,
} from '../mailboxes/index.js';
import { MailSettings } from './find-settings.js';
import { OAuthGrants } from './oauth-grants.js';

/** Accounts of mailboxes. Servers and providers are asked with no transaction open. */
export const MailboxAccountsHandlers = handlers(
  mailboxAccounts,
  [MailboxSecrets, MailServerTargets, OAuthGrants],
  (secrets, targets, grants) => ({
    set: {
      prepare: async (_context, input) => {
        await targets.require(input);
        return async (context) => set(context, input, secrets);
      },
    },

    remove: async (context, input) => remove(context, input),

    authorize: {
      prepare: async (reading, { id, provider, login }) => {
        const address = await reading.entities((manager) =>
          manager.findOneBy(MailboxEntity, { id }).then((mailbox) => mailbox?.address),
        );
        if (address === undefined) throw new Problem('MAILBOX_NOT_FOUND');
        const asked = { id, provider, login: login ?? address };
        const { url, remember } = await grants.ask(reading, asked);
        return async (context) => {
          await remember(context);
          return { url };
        };
      },
    },
  }),
);

/** Finding the mail servers of an address. */
export const MailSettingsHandlers = handlers(mailSettings, [MailSettings], (settings) => ({
  find: async (_context, { address }) => settings.find(address),
}));

/** Answers of providers to browsers, as the gateway passes them on. */
export const MailboxConsentsHandlers = handlers(mailboxConsents, [OAuthGrants], (grants) => ({
  end: { prepare: async (reading, { query }) => grants.take(reading, query) },
}));

async function set(
  context: Writing,
  { id, ifMatch, imap, outgoing, twoWay, sentCopy, historyDays }: SetMailboxAccount,
  secrets: MailboxSecrets,
): Promise<MailboxAnswer> {
  const mailbox = await lockMailbox(context, id);
  requireVersion(mailbox, ifMatch);
  const before = mailbox.imap;
  secrets.apply(mailbox, {
    ...(imap !== undefined && { imap }),
    ...(outgoing !== undefined && { outgoing }),
  });
  mailbox.updatedAt = context.at;
  await context.manager.save(mailbox);
  const account = await keepAccount(context, mailbox, before);
  if (!account) throw withoutPassword();
  account.twoWay = twoWay ?? account.twoWay;
  account.sentCopy = sentCopy ?? account.sentCopy;
  if (historyDays !== undefined) account.historyDays = historyDays;
  await context.manager.save(account);
  return { mailbox: mailboxView(mailbox, account) };
}

/** Servers of a mailbox that has no others are kept, without their secrets. */
async function remove(
  context: Writing,
  { id, ifMatch }: RemoveMailboxAccount,
): Promise<MailboxAnswer> {
  const mailbox = await lockMailbox(context, id);
  requireVersion(mailbox, ifMatch);
  const isOurs = (await domainHolder(context, domainOfAddress(mailbox.address))) === 'us';
  const emptied = (server: StoredServer | null): StoredServer | null =>
    server && !isOurs ? { ...server, sealedPassword: null } : null;
  mailbox.imap = emptied(mailbox.imap);
  mailbox.outgoing = emptied(mailbox.outgoing);
  mailbox.updatedAt = context.at;
  await context.manager.save(mailbox);
  await context.manager.delete(MailboxAccountEntity, { mailboxId: id });
  return { mailbox: mailboxView(mailbox, null) };
}

const withoutPassword = () =>
  invalidField(
    'imap.password',
    'un mot de passe est attendu, ou le consentement d’un fournisseur',
    'expected a password, or the consent of a provider',
  );
