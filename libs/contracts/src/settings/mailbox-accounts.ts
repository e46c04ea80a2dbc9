import { Count, Email, Flag, HeaderText, Id, ListOf, OneOf, Part, Text } from '../fields/index.js';
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

/** Input of the test: a server that is not given is not tried; without either, those of the mailbox are. */
export class TestMailboxAccount extends IdOf('mbx', 'The mailbox.') {
  @Part(() => MailServerAccess, `IMAP server. ${serversAbout}`, { optional: true })
  imap?: MailServerAccess;

  @Part(() => MailServerAccess, `Outgoing server. ${serversAbout}`, { optional: true })
  outgoing?: MailServerAccess;
}

/** Reasons why an account cannot be used. */
export const accountFaults = [
  ...(['name_not_found', 'target_refused', 'unreachable', 'tls_failed', 'no_tls'] as const),
  ...(['wrong_password', 'tried_too_often', 'app_password_needed', 'oauth_needed'] as const),
  ...(['consent_expired', 'token_endpoint_down', 'token_endpoint_slow', 'throttled'] as const),
  ...(['imap_off', 'smtp_off', 'no_inbox', 'connected_elsewhere'] as const),
] as const;
export type AccountFaultName = (typeof accountFaults)[number];

/** One step of the test of an account. */
export class AccountTestStep {
  @OneOf(['imap', 'outgoing'], 'The server.')
  server!: 'imap' | 'outgoing';

  @OneOf(['connect', 'tls', 'login', 'inbox'], 'The step; `inbox` of the IMAP server alone.')
  step!: 'connect' | 'tls' | 'login' | 'inbox';

  @OneOf(['ok', 'failed', 'skipped'], 'Its outcome; `skipped` after one that failed.')
  outcome!: 'ok' | 'failed' | 'skipped';

  @Text('What was tried.', { max: 700 })
  tried!: string;

  @Text('What the server said: plain text, the beginning of it.', { max: 200, nullable: true })
  said!: string | null;

  @OneOf(accountFaults, 'What is wrong.', { nullable: true })
  code!: AccountFaultName | null;

  @Text('What to do.', { max: 400, nullable: true })
  advice!: string | null;
}

/** The test of an account. */
export class AccountTest {
  @Flag('Whether every step went well.')
  ok!: boolean;

  @ListOf(() => AccountTestStep, 'The steps in their order, those of the IMAP server first.', {
    max: 7,
  })
  steps!: AccountTestStep[];
}

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
      problems: ['MAILBOX_NOT_FOUND', 'ACCOUNT_CONNECTED'],
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

/** The test of accounts. */
export const accountTests = family(
  'mail',
  'accountTests',
  {
    run: operation({
      http: 'POST /mailboxes/:id/test',
      effect: 'read',
      summary: 'Test an account before it is kept',
      description:
        'Connects, logs in and opens the inbox; changes nothing, and takes 20 seconds at most. A secret that the server has refused three times within an hour is not tried, so that the provider does not lock the account.',
      input: TestMailboxAccount,
      output: AccountTest,
      problems: ['MAILBOX_NOT_FOUND', 'MAILBOX_WITHOUT_ACCOUNT'],
      deadlineMs: 25_000,
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

export const consentOutcomes = ['connected', 'refused', 'over', 'down', 'taken'] as const;

/** The end of a request for consent. */
export class ConsentEnd {
  @OneOf(
    consentOutcomes,
    'Refused by the person or the provider; over, begun elsewhere or used before; the provider is down; taken, another mailbox reads the account.',
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
