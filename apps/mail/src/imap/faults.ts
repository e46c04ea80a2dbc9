import { NameUnresolved, TargetRefused } from '@postroom/outbound';

/** A reason why a mailbox cannot be read, for programs and for people. */
export interface SyncFault {
  readonly code: string;
  readonly text: string;
  /** When to try again, where that is known. */
  readonly retryAt: Date | null;
}

/** A server that did not keep within the bounds of a command. */
export class ServerUnbounded extends Error {
  override readonly name = 'ServerUnbounded';
}

/** A folder that the server lists and does not open. */
export class FolderRefused extends Error {
  override readonly name = 'FolderRefused';
}

/** Reasons why a change of ours is not made at a server; those that no later try mends are final. */
export type RefusedChange =
  | 'folder_missing'
  | 'keywords_refused'
  | 'move_unsupported'
  | 'server_refused';

/** A change that a server does not make. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused';

  constructor(
    readonly code: RefusedChange,
    message: string,
  ) {
    super(message);
  }
}

const textMax = 200;

/**
 * Words of servers that limit how much is asked of them: Google's and Yahoo's, Microsoft's ("Request is throttled", "User is
 * authenticated but not connected", "Server Unavailable. 15"), Dovecot's ("Maximum number of connections from user+IP exceeded").
 */
const throttled =
  /too many|maximum number of|rate limit|throttl|bandwidth|authenticated but not connected|server unavailable|try again later/i;

/** The meaning of codes of libraries, and of response codes: RFC 5530, Google's THROTTLED and OVERQUOTA. */
const codes: Readonly<Record<string, string>> = {
  ...{ ETHROTTLE: 'throttled', THROTTLED: 'throttled', OVERQUOTA: 'throttled', LIMIT: 'throttled' },
  ...{ UNAVAILABLE: 'unreachable', SERVERBUG: 'unreachable', INUSE: 'unreachable' },
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_failed',
  ENOTFOUND: 'name_not_found',
};

/** Codes of what keeps an account from being logged in to, which say what they are. */
const ofAccounts = new Set([
  'no_account',
  'connected_elsewhere',
  'consent_expired',
  'wrong_password',
  'token_endpoint_down',
  'token_endpoint_slow',
]);

/** Names what went wrong with a server, and repeats what it said: 200 characters, without control characters. */
export function faultOf(error: unknown): SyncFault {
  const said = saidIn(error);
  const { retryAt = null } = error as ServerError;
  return { code: codeOf(error, said), text: plain(said), retryAt };
}

function codeOf(error: unknown, said: string): string {
  if (error instanceof TargetRefused) return 'target_refused';
  if (error instanceof NameUnresolved) return 'name_not_found';
  if (throttled.test(said)) return 'throttled';
  const { authenticationFailed, oauthError, code = '' } = error as ServerError;
  // A server that cannot look at a password refuses the login too.
  const told = codes[responseCodeIn(error)] ?? codes[code];
  if (told !== undefined) return told;
  if (authenticationFailed === true) return oauthError ? 'consent_expired' : 'wrong_password';
  return ofAccounts.has(code) ? code : codeOfConnection(code, said);
}

function codeOfConnection(code: string, said: string): string {
  if (/CERT|TLS|SSL/.test(code) || /certificate|STARTTLS/.test(said)) return 'tls_failed';
  return 'unreachable';
}

interface ServerError {
  readonly authenticationFailed?: boolean;
  readonly oauthError?: unknown;
  readonly code?: string;
  readonly responseText?: string;
  /** The reason that came with BYE. */
  readonly reason?: string;
  /** RFC 9051 section 7.1, in upper case. */
  readonly serverResponseCode?: string;
  /** The answer as imapflow reads it; it makes a text of most. */
  readonly response?: { readonly attributes?: readonly Partial<ResponseAttribute>[] };
  readonly retryAt?: Date | null;
  readonly cause?: unknown;
}

interface ResponseAttribute {
  readonly section: readonly { readonly value?: unknown }[];
}

function responseCodeIn(error: unknown): string {
  const { serverResponseCode, response, cause } = error as ServerError;
  const found = serverResponseCode ?? response?.attributes?.[0]?.section?.[0]?.value;
  if (typeof found === 'string') return found.toUpperCase();
  return cause instanceof Error ? responseCodeIn(cause) : '';
}

/** The words of the server, after ours where both are there. */
function saidIn(error: unknown): string {
  const { responseText, reason, cause } = error as ServerError;
  const told = responseText ?? reason;
  if (told) return told;
  if (!(error instanceof Error)) return String(error);
  const { responseText: because } = (cause ?? {}) as ServerError;
  return because ? `${error.message}: ${because}` : error.message;
}

/** A text of a server: 200 characters, without control characters. */
const plain = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .trim()
    .slice(0, textMax)
    .toWellFormed();
