import { Count, Email, Flag, HeaderText, Id, OneOf, Part, Text } from '../fields/index.js';
import { IdOf, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import {
  historyAbout,
  MailboxAnswer,
  MailServer,
  MailServerAccess,
  sentCopies,
  twoWayAbout,
} from './mailboxes.js';

/** Providers of OAuth: Google, Microsoft, and one that the operator describes. */
export const oauthProviders = ['google', 'microsoft', 'other'] as const;
export type OAuthProviderName = (typeof oauthProviders)[number];

const serversAbout = 'A server without a password keeps the one it has.';

/** Input of setting the account: what is absent stays. */
export class SetMailboxAccount extends VersionOf('mbx', 'The mailbox.') {
  @Part(() => MailServerAccess, `IMAP server that the mail is read from. ${serversAbout}`, {
    optional: true,
  })
  imap?: MailServerAccess;

  @Part(() => MailServerAccess, `Server that mail is sent through. ${serversAbout}`, {
    optional: true,
    nullable: true,
  })
  outgoing?: MailServerAccess | null;

  @Flag(twoWayAbout, { optional: true })
  twoWay?: boolean;

  @OneOf(sentCopies, 'Who puts a copy of sent mail into its folder `Sent`.', { optional: true })
  sentCopy?: (typeof sentCopies)[number];

  @Count(`${historyAbout} More than before is read too, without events.`, {
    ...{ min: 1, max: 36_500 },
    ...{ nullable: true, optional: true },
  })
  historyDays?: number | null;
}

/** Input of removing the account. */
export class RemoveMailboxAccount extends VersionOf('mbx', 'The mailbox.') {}

/** Input of finding the settings of an address. */
export class FindMailSettings {
  @Email('The address of the mailbox.')
  address!: string;
}

/** The settings that were found for an address. */
export class FoundMailSettings {
  @OneOf(
    ['provider', 'srv', 'autoconfig', 'mx'],
    'Where they were found: our list, SRV records (RFC 6186), the domain’s own file, or the provider of its MX record. Null: nowhere.',
    { nullable: true },
  )
  source!: 'provider' | 'srv' | 'autoconfig' | 'mx' | null;

  @Text('Name of the provider, where it is one of our list.', { max: 100, nullable: true })
  provider!: string | null;

  @Part(() => MailServer, 'IMAP server.', { nullable: true })
  imap!: MailServer | null;

  @Part(() => MailServer, 'Outgoing server.', { nullable: true })
  outgoing!: MailServer | null;

  @OneOf(
    ['password', 'app_password', 'oauth'],
    'What the provider takes: the password, one that is made for this application, or OAuth alone.',
  )
  signIn!: 'password' | 'app_password' | 'oauth';

  @OneOf(oauthProviders, 'Provider to sign in with, where this deployment is a client of it.', {
    nullable: true,
  })
  oauth!: OAuthProviderName | null;

  @Text('Page of the provider that explains it.', { max: 300, nullable: true })
  help!: string | null;
}

/** Input of asking a provider for consent. */
export class AuthorizeMailbox extends IdOf('mbx', 'The mailbox.') {
  @OneOf(oauthProviders, 'The provider.')
  provider!: OAuthProviderName;

  @HeaderText('Login at the provider, where it is not the mailbox’s address.', {
    max: 320,
    filled: true,
    optional: true,
  })
  login?: string;
}

/** The page of the provider. */
export class ConsentPage {
  @Text('Where the browser goes next; good for 10 minutes, in this session alone.', { max: 4_000 })
  url!: string;
}

/** Accounts that mailboxes are read from and send through (`decisions.md` §9). */
export const mailboxAccounts = family(
  'mail',
  'mailboxAccounts',
  {
    set: operation({
      http: 'PUT /mailboxes/:id/account',
      summary: 'Connect a mailbox to an account',
      description:
        'Secrets are written and never read. What is absent stays; a changed login is tried at once.',
      input: SetMailboxAccount,
      output: MailboxAnswer,
      problems: ['MAILBOX_NOT_FOUND'],
    }),
    remove: operation({
      http: 'DELETE /mailboxes/:id/account',
      summary: 'Disconnect a mailbox from its account',
      description:
        'Its secrets are forgotten, and what was read stays. A mailbox of a domain that is not verified keeps the names of its servers, since it has no others.',
      input: RemoveMailboxAccount,
      output: MailboxAnswer,
      problems: ['MAILBOX_NOT_FOUND'],
    }),
    authorize: operation({
      http: 'POST /mailboxes/:id/oauth/:provider',
      confidential: true,
      summary: 'Ask a provider for consent to read and send a mailbox’s mail',
      description:
        'The provider leads back to `GET /settings/api/oauth/callback`, which ends in the console.',
      input: AuthorizeMailbox,
      output: ConsentPage,
      problems: ['MAILBOX_NOT_FOUND', 'OAUTH_NOT_SET_UP', 'OAUTH_UNAVAILABLE'],
      deadlineMs: 20_000,
    }),
  },
  { audience: 'member', admin: true },
);

/** Settings of mail addresses. */
export const mailSettings = family(
  'mail',
  'mailSettings',
  {
    find: operation({
      http: 'GET /mail-settings',
      summary: 'Find the mail servers of an address',
      description:
        'Looked for in our list of providers, in SRV records, in the domain’s own file and by its MX record, 3 seconds at most each. Nothing is tried with a password.',
      input: FindMailSettings,
      output: FoundMailSettings,
      deadlineMs: 20_000,
    }),
  },
  { audience: 'member', admin: true },
);

/** Input of ending a request for consent, as the provider has answered it. */
export class EndConsent {
  @Text('The query of the answer.', { max: 8_000 })
  query!: string;
}

export const consentOutcomes = ['connected', 'refused', 'over', 'down'] as const;

/** The end of a request for consent. */
export class ConsentEnd {
  @OneOf(
    consentOutcomes,
    'Refused by the person or the provider; over, begun elsewhere or used before; the provider is down.',
  )
  outcome!: (typeof consentOutcomes)[number];

  @Id('mbx', 'The mailbox, if it is known.', { nullable: true })
  mailboxId!: string | null;
}

/** The gateway's request to end what a provider has answered to a browser. */
export const mailboxConsents = family(
  'mail',
  'mailboxConsents',
  {
    end: operation({
      http: 'POST /services/mail/mailbox-consents',
      confidential: true,
      summary: 'End a request for consent to a mailbox’s account',
      input: EndConsent,
      output: ConsentEnd,
      deadlineMs: 25_000,
    }),
  },
  { audience: 'service' },
);
