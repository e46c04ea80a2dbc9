import type { AccountFaultName } from '@postroom/contracts';
import { AccountFault } from '../accounts/index.js';
import { faultOf } from '../imap/index.js';
import { NoConnection } from '../outgoing/index.js';

/** A reason why a server cannot be used: for programs, and in the server's words. */
export interface ServerFault {
  readonly code: AccountFaultName;
  readonly said: string | null;
}

/** The way out of each fault. */
export const advice: Readonly<Record<AccountFaultName, string>> = {
  name_not_found: 'Check the host name: the name system does not know it.',
  target_refused:
    'Give a public mail server. One of a private network has to be allowed by the operator (MAIL_SERVER_ALLOWED_CIDRS).',
  unreachable: 'Check host and port, and whether a firewall of the server keeps strangers out.',
  tls_failed:
    'Check port and encryption: 993 and 465 begin with TLS, 143 and 587 with STARTTLS. The certificate must be valid for the host name.',
  no_tls: 'The server offers no STARTTLS. Use its port with TLS: 993 for IMAP, 465 for sending.',
  wrong_password:
    'Check user and password. Many providers want a password that was made for this application, or have mail programs switched on first.',
  tried_too_often:
    'Wait for an hour, or give another password. More tries would have the provider lock the account.',
  app_password_needed:
    'Make a password for this application at the provider, and give it instead of your own.',
  oauth_needed: 'Sign in with the provider instead: it takes no passwords of programs.',
  consent_expired: 'Sign in with the provider again.',
  token_endpoint_down: 'Try again in a minute: the provider gives no token just now.',
  token_endpoint_slow:
    'Try again in a minute: the provider has not answered the request for a token.',
  throttled: 'Try again in 15 minutes: the server limits how often it is asked.',
  imap_off: 'Switch IMAP on in the settings of the account, or ask its administrator to.',
  smtp_off:
    'Ask the administrator of the account to allow SMTP AUTH for this mailbox (“authenticated SMTP” at Microsoft).',
  connected_elsewhere:
    'Disconnect the other mailbox first: two that read one account would do everything twice there.',
  no_inbox: 'The server opens no inbox for this user: ask its administrator.',
};

/** Words of servers for faults that their codes do not name. */
const words: readonly (readonly [AccountFaultName, RegExp])[] = [
  // https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission
  ['smtp_off', /smtpclientauthentication is disabled/i],
  ['oauth_needed', /basic auth(?:entication)? is (?:disabled|blocked|not )|web login required/i],
  // https://support.google.com/mail/answer/185833
  ['app_password_needed', /application-specific password/i],
  ['imap_off', /not enabled for imap|imap access is disabled|imap is disabled/i],
  ['no_inbox', /lists no inbox|does not open the folder/],
  ['no_tls', /does not support starttls|error upgrading connection with starttls/i],
  ['tls_failed', /wrong version number|packet length too long|initiating tls/i],
];

const ofLogin: ReadonlySet<AccountFaultName> = new Set([
  ...(['wrong_password', 'tried_too_often', 'app_password_needed', 'oauth_needed'] as const),
  ...(['consent_expired', 'token_endpoint_down', 'token_endpoint_slow', 'throttled'] as const),
  ...(['imap_off', 'smtp_off', 'connected_elsewhere'] as const),
]);

/** True of what is wrong with the login, and not with the connection. */
export const isOfLogin = (error: unknown): boolean => ofLogin.has(serverFaultOf(error).code);

/** Names what was wrong with a server. */
export function serverFaultOf(error: unknown): ServerFault {
  const cause = error instanceof NoConnection && error.cause ? error.cause : error;
  if (cause instanceof AccountFault) return { code: codeOf(cause), said: null };
  const { code, text: said } = faultOf(smtpTold(cause));
  const [told] = words.find(([, expression]) => expression.test(said)) ?? [];
  return { code: told ?? (code as AccountFaultName), said };
}

const codeOf = ({ code, retryAt }: AccountFault): AccountFaultName => {
  if (code === 'no_account') return 'wrong_password';
  return code === 'wrong_password' && retryAt ? 'tried_too_often' : code;
};

/** An error of nodemailer as IMAP's is: with the server's words, and whether it refused the login. */
function smtpTold(error: unknown): unknown {
  const { code, responseCode, response } = error as SmtpError;
  if (code !== 'EAUTH' || typeof response !== 'string') return error;
  const refusal = Number(responseCode);
  // RFC 4954 §4: 454 is temporary.
  if (refusal < 500) return { code: 'ETHROTTLE', responseText: response };
  return { authenticationFailed: true, responseText: response };
}

interface SmtpError {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
}
