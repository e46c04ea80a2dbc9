import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Keyring } from '@postroom/access';
import { Database, statement } from '@postroom/persistence';
import * as client from 'openid-client';
import { accountSeals, type StoredTokens } from '../mailboxes/index.js';
import { AccountFault } from './account-fault.js';
import { OAuthProviders } from './oauth-providers.js';

/** The mailbox whose account is meant. */
export interface MailboxOf {
  readonly tenantId: string;
  readonly mailboxId: string;
}

/** The tokens of a grant. */
interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

interface Stored {
  readonly provider: string;
  readonly tokens: StoredTokens | null;
}

/** A token that ends sooner is refreshed first. */
const marginMs = 5 * 60_000;
/** RFC 6749 §5.1 leaves the time out where the documentation of a provider says it. */
const usualSeconds = 3_600;
/** A refresh is over long before, so that another process may begin one. */
const leaseSeconds = 30;
const [lookMs, looksMax] = [250, 40];
const retryMs = 60_000;

const find = statement<Stored>(
  'accounts.tokens',
  `SELECT (f.account).provider, (f.account).tokens FROM account_of($1, $2) f
   WHERE (f.account).kind = 'oauth'`,
);
const begin = statement<Stored>(
  'accounts.begin_refresh',
  `SELECT b.provider, b.tokens FROM begin_token_refresh($1, $2, $3, make_interval(secs => $4)) b`,
);
const end = statement<{ isStored: boolean }>(
  'accounts.end_refresh',
  'SELECT end_token_refresh($1, $2, $3, $4, $5) AS "isStored"',
);

/**
 * Access tokens of mailboxes, refreshed by one process at a time: a provider whose refresh tokens rotate ends the grant
 * when an old one is used again.
 */
@Injectable()
export class OAuthTokens {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
    private readonly providers: OAuthProviders,
  ) {}

  /** Tokens as they are stored. @throws AccountFault consent_expired without a refresh token */
  sealed(mailboxId: string, given: client.TokenEndpointResponse, before?: Tokens): StoredTokens {
    const { access_token: accessToken, expires_in: seconds = usualSeconds } = given;
    const refreshToken = given.refresh_token ?? before?.refreshToken;
    if (refreshToken === undefined) throw ended('The provider gave no lasting consent.');
    const tokens: Tokens = { accessToken, refreshToken };
    return {
      sealed: this.keyring.encrypt(JSON.stringify(tokens), accountSeals.tokens, mailboxId),
      until: new Date(Date.now() + seconds * 1_000).toISOString(),
    };
  }

  /**
   * A token that is good for a login now. No transaction is to be open.
   * @param refused one that the server has just refused: it is not answered again
   * @throws AccountFault consent_expired, token_endpoint_down
   */
  async accessToken(of: MailboxOf, refused: string | null = null): Promise<string> {
    for (let look = 0; look < looksMax; look += 1) {
      const stored = await this.row(find, [of.tenantId, of.mailboxId], of);
      const token = this.usable(of, stored, refused, marginMs);
      if (token !== null) return token;
      const holder = randomUUID();
      const taken = await this.row(begin, [of.tenantId, of.mailboxId, holder, leaseSeconds], of);
      if (taken) return this.refresh(of, taken, holder, refused);
      await sleep(lookMs);
    }
    throw later('Another process has been asking for a token for too long.');
  }

  private async row(
    which: typeof find,
    values: readonly unknown[],
    { tenantId }: MailboxOf,
  ): Promise<Stored | undefined> {
    return (await this.database.rows(which, values, tenantId))[0];
  }

  /** The stored token, if it lasts; null: it is to be refreshed. */
  private usable(
    { mailboxId }: MailboxOf,
    stored: Stored | undefined,
    refused: string | null,
    forMs: number,
  ): string | null {
    if (!stored?.tokens) throw ended('The provider has ended the consent.');
    if (Date.parse(stored.tokens.until) - Date.now() < forMs) return null;
    const { accessToken } = this.opened(mailboxId, stored.tokens);
    return accessToken === refused ? null : accessToken;
  }

  private opened(mailboxId: string, { sealed }: StoredTokens): Tokens {
    return JSON.parse(this.keyring.decryptText(sealed, accountSeals.tokens, mailboxId)) as Tokens;
  }

  private async refresh(
    of: MailboxOf,
    stored: Stored,
    holder: string,
    refused: string | null,
  ): Promise<string> {
    const finish = (isChanged: boolean, tokens: StoredTokens | null): Promise<unknown> =>
      this.database.rows(end, [of.tenantId, of.mailboxId, holder, isChanged, tokens], of.tenantId);
    try {
      // It may have been refreshed between the look and the lease.
      const token = this.usable(of, stored, refused, marginMs);
      if (token !== null) {
        await finish(false, null);
        return token;
      }
      const fresh = await this.asked(of, stored);
      await finish(true, fresh);
      return this.opened(of.mailboxId, fresh).accessToken;
    } catch (error) {
      const isEnded = error instanceof AccountFault && error.code === 'consent_expired';
      await finish(isEnded, null);
      if (isEnded) throw error;
      // The one that is there is good for some minutes yet.
      const token = this.usable(of, stored, refused, 0);
      if (token !== null) return token;
      throw later('The provider gives no token at the moment.', error);
    }
  }

  private async asked({ mailboxId }: MailboxOf, stored: Stored): Promise<StoredTokens> {
    const provider = this.providers.get(stored.provider);
    if (!provider || !stored.tokens) throw new Error(`no provider ${stored.provider} is set up`);
    const before = this.opened(mailboxId, stored.tokens);
    try {
      const given = await client.refreshTokenGrant(await provider.connect(), before.refreshToken);
      return this.sealed(mailboxId, given, before);
    } catch (cause) {
      if (isEnd(cause)) throw ended('The provider has ended the consent.', cause);
      throw cause;
    }
  }
}

/** RFC 6749 §5.2: the grant is over. Any other error says nothing about it. */
const isEnd = (error: unknown): boolean =>
  error instanceof client.ResponseBodyError && error.error === 'invalid_grant';

const ended = (text: string, cause?: unknown): AccountFault =>
  new AccountFault('consent_expired', `${text} Connect the account again.`, null, { cause });

function later(text: string, cause?: unknown): AccountFault {
  const at = new Date(Date.now() + retryMs);
  return isSlow(cause)
    ? new AccountFault('token_endpoint_slow', 'The provider does not answer in time.', at, {
        cause,
      })
    : new AccountFault('token_endpoint_down', text, at, { cause });
}

/** True if an error, or what it came from, is that the time was up. */
function isSlow(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /TIMEOUT|TimeoutError/.test(`${error.name} ${code}`) || isSlow(error.cause);
}
