import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Keyring, type Caller } from '@postroom/access';
import { Problem, type ConsentEnd } from '@postroom/contracts';
import type { Reading, Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import * as client from 'openid-client';
import {
  accountSeals,
  isReadElsewhere,
  keepAccount,
  lockMailbox,
  type StoredTokens,
} from '../mailboxes/index.js';
import { AccountFault } from './account-fault.js';
import { OAuthProviders, type OAuthProvider } from './oauth-providers.js';
import { OAuthTokens } from './oauth-tokens.js';

/** A request for consent that was begun. */
interface Grant {
  readonly mailboxId: string;
  readonly provider: string;
  readonly login: string;
  readonly sealedVerifier: string;
}

/** A consent that was given, to be stored. */
interface Given {
  readonly grant: Grant;
  readonly provider: OAuthProvider;
  readonly tokens: StoredTokens;
}

const begin = statement<object>(
  'oauth_grants.begin',
  'SELECT begin_oauth_grant($1, $2, $3, $4, $5, $6, $7)',
);
const take = statement<Grant>(
  'oauth_grants.take',
  `SELECT mailbox_id AS "mailboxId", provider, login, sealed_verifier AS "sealedVerifier"
   FROM take_oauth_grant($1, $2, $3)`,
);

/** Members' consents to accounts: OAuth 2, code with PKCE, the state bound to mailbox and session (RFC 9700). */
@Injectable()
export class OAuthGrants {
  constructor(
    private readonly providers: OAuthProviders,
    private readonly tokens: OAuthTokens,
    private readonly keyring: Keyring,
  ) {}

  /**
   * The page of the provider, and how to remember in a transaction that it was asked.
   * @throws Problem OAUTH_NOT_SET_UP, OAUTH_UNAVAILABLE
   */
  async ask(
    { caller }: Pick<Reading, 'caller'>,
    { id: mailboxId, provider: name, login }: AskedFor,
  ): Promise<{ url: string; remember: (context: Writing) => Promise<unknown> }> {
    const provider = this.providers.get(name);
    const redirectUri = this.providers.redirectUri;
    if (!provider || redirectUri === null) throw new Problem('OAUTH_NOT_SET_UP');
    const state = randomBytes(32).toString('base64url');
    const verifier = client.randomPKCECodeVerifier();
    const configuration = await provider.connect().catch((cause: unknown) => {
      throw new Problem('OAUTH_UNAVAILABLE', { cause });
    });
    const url = client.buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: redirectUri, scope: provider.scope, state, login_hint: login },
      ...{ code_challenge_method: 'S256' },
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      ...provider.asks,
    });
    const hash = hashOf(state);
    const sealed = this.keyring.encrypt(verifier, accountSeals.verifier, hash);
    const remember = ({ rows }: Writing): Promise<unknown> =>
      rows(begin, [hash, mailboxId, name, login, sealed, sessionOf(caller)]);
    return { url: url.href, remember };
  }

  /** Takes what the provider has answered, once and in the session that asked; answers how to store it in a transaction. */
  async take(
    { caller, rows }: Pick<Reading, 'caller' | 'rows'>,
    query: string,
  ): Promise<(context: Writing) => Promise<ConsentEnd>> {
    const answer = new URLSearchParams(query);
    const state = answer.get('state') ?? '';
    const [grant] = await rows(take, [hashOf(state), sessionOf(caller)]);
    if (!grant) return () => Promise.resolve({ outcome: 'over', mailboxId: null });
    const { mailboxId } = grant;
    try {
      const given = await this.exchanged(grant, state, query);
      return async (context) => {
        const isStored = await store(context, given);
        return { outcome: isStored ? 'connected' : 'taken', mailboxId };
      };
    } catch (error) {
      const outcome = isRefusal(error) ? 'refused' : 'down';
      return () => Promise.resolve({ outcome, mailboxId });
    }
  }

  private async exchanged(grant: Grant, state: string, query: string): Promise<Given> {
    const provider = this.providers.get(grant.provider);
    const { redirectUri } = this.providers;
    if (!provider || redirectUri === null) throw new Problem('OAUTH_NOT_SET_UP');
    const { sealedVerifier } = grant;
    const given = await client.authorizationCodeGrant(
      await provider.connect(),
      new URL(`${redirectUri}?${query}`),
      {
        expectedState: state,
        pkceCodeVerifier: this.keyring.decryptText(
          sealedVerifier,
          accountSeals.verifier,
          hashOf(state),
        ),
      },
    );
    return { grant, provider, tokens: this.tokens.sealed(grant.mailboxId, given) };
  }
}

/** The mailbox, the provider, and the login there. */
interface AskedFor {
  readonly id: string;
  readonly provider: string;
  readonly login: string;
}

/**
 * Tokens go to the provider's own servers alone, whatever the mailbox had before.
 * @returns false, and nothing is changed, if another mailbox reads the account
 */
async function store(context: Writing, { grant, provider, tokens }: Given): Promise<boolean> {
  const mailbox = await lockMailbox(context, grant.mailboxId);
  const at = { user: grant.login, sealedPassword: null };
  if (await isReadElsewhere(context, mailbox.id, { ...provider.imap, ...at })) return false;
  const before = mailbox.imap;
  mailbox.imap = { ...provider.imap, ...at };
  mailbox.outgoing = { ...provider.outgoing, ...at };
  mailbox.updatedAt = context.at;
  await context.manager.save(mailbox);
  await keepAccount(context, mailbox, before, { provider: provider.id, tokens });
  context.subject(mailbox.id);
  return true;
}

const hashOf = (state: string): string => createHash('sha256').update(state).digest('base64url');

function sessionOf(caller: Caller): string {
  if (caller.type !== 'member' || caller.sessionId === null) throw new Problem('UNAUTHENTICATED');
  return caller.sessionId;
}

/** The person or the provider has said no, or gives no lasting consent. */
const isRefusal = (error: unknown): boolean =>
  error instanceof client.AuthorizationResponseError ||
  error instanceof client.ResponseBodyError ||
  error instanceof AccountFault;
