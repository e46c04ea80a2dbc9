import { accountTests, invalidField, Problem } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import {
  isReadElsewhere,
  MailboxAccountEntity,
  MailboxEntity,
  MailboxSecrets,
} from '../mailboxes/index.js';
import { AccountTests, type TestedServer } from './account-tests.js';

type Which = 'imap' | 'outgoing';

/** Tests of accounts, with no transaction open. */
export const AccountTestsHandlers = handlers(
  accountTests,
  [AccountTests, MailboxSecrets],
  (tests, secrets) => ({
    run: async (context, { id, ...given }) => {
      const { tenantId } = context;
      const [mailbox, account] = await context.entities(async (manager) => [
        await manager.findOneBy(MailboxEntity, { id }),
        await manager.findOneBy(MailboxAccountEntity, { mailboxId: id }),
      ]);
      if (!mailbox) throw new Problem('MAILBOX_NOT_FOUND');
      // Tokens go to the provider's own servers alone.
      const hosts = account?.kind === 'oauth' ? [mailbox.imap?.host, mailbox.outgoing?.host] : [];
      secrets.apply(mailbox, given);
      const isAll = !given.imap && !given.outgoing;
      const tested = (which: Which, password: string | null): TestedServer | null => {
        const server = isAll || given[which] ? mailbox[which] : null;
        if (!server) return null;
        const { host, port, secure, user } = server;
        const needsPassword = user !== null && !hosts.includes(host);
        if (needsPassword && password === null) throw withoutPassword(which);
        return { host, port, secure, user, password };
      };
      const imap = tested('imap', secrets.imapPassword(mailbox));
      const outgoing = tested('outgoing', secrets.outgoingPassword(mailbox));
      if (!imap && !outgoing) throw new Problem('MAILBOX_WITHOUT_ACCOUNT');
      const isElsewhere = await isReadElsewhere(context, id, imap);
      const of = { tenantId, mailboxId: id };
      return tests.testAccount(of, { imap, outgoing, isReadElsewhere: isElsewhere });
    },
  }),
);

const withoutPassword = (which: Which) =>
  invalidField(
    `${which}.password`,
    'un mot de passe est attendu, ou le consentement d’un fournisseur',
    'expected a password, or the consent of a provider',
  );
