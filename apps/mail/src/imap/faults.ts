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
  'folder_missing' | 'keywords_refused' | 'move_unsupported' | 'server_refused';

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

/** Words of servers that limit how much is asked of them (the third is Microsoft's). */
const throttled =
  /too many|rate limit|throttl|bandwidth|authenticated but not connected|try again later/i;

const codes: Readonly<Record<string, string>> = {
  ETHROTTLE: 'throttled',
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
  if (authenticationFailed === true) return oauthError ? 'consent_expired' : 'wrong_password';
  if (ofAccounts.has(code)) return code;
  return codes[code] ?? codeOfConnection(code, said);
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
  readonly retryAt?: Date | null;
}

function saidIn(error: unknown): string {
  const { responseText } = error as ServerError;
  if (responseText) return responseText;
  return error instanceof Error ? error.message : String(error);
}

const plain = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .trim()
    .slice(0, textMax)
    .toWellFormed();
