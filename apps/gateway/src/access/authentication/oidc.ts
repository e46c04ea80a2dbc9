import { Injectable } from '@nestjs/common';
import type { MemberCaller } from '@postroom/access';
import { domainName, domainOwners, newId, type DomainOwner } from '@postroom/contracts';
import { OperationClient } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import * as client from 'openid-client';
import { GatewayConfig } from '../../config.js';
import { requireSuccess } from '../../problems.js';
import { Authorizations } from './authorizations.js';
import { BrowserChallenges } from './browser-challenges.js';
import { MemberAuthentication, type MemberAuthorization } from './member-authentication.js';
import { isProviderDown, OidcProviders, type ProviderSettings } from './oidc-provider.js';
import { WorkspaceDomains } from './workspace-domains.js';

/** Why a sign-in with a provider ends without a session. */
export type OidcFault = 'unknown_workspace' | 'not_begun' | 'refused' | 'not_a_member' | 'down';

/** A sign-in with a provider that ends without a session. */
export class OidcRefused extends Error {
  override readonly name = 'OidcRefused';

  constructor(
    readonly fault: OidcFault,
    cause?: unknown,
    /** The member in whose name it was. */
    readonly member: MemberCaller | null = null,
  ) {
    super(fault, { cause });
  }
}

type WorkspaceProvider = ProviderSettings & {
  readonly tenant_name: string;
  readonly domains: string[];
};

const findOidc = statement<WorkspaceProvider>(
  'access.find_oidc',
  'SELECT * FROM find_oidc($1, $2)',
);

/** The workspace that a sign-in asks for. */
export interface Wanted {
  /** Its name or id. */
  readonly workspace?: string | undefined;
  /** Without one, the workspace that has proved the domain of this address and names it in its settings. */
  readonly email?: string | undefined;
}

/** A member whom a provider has signed in. */
export interface Finished {
  readonly member: MemberAuthorization;
  /** The path to go on to. */
  readonly next: string | null;
  readonly facts: {
    /** The address to sign out of the provider. */
    readonly signOutUrl?: string;
    /** The moment at which the provider has last asked who it is. */
    readonly authenticatedAt?: string;
  };
}

/** A provider's word on who signs in. */
interface ProviderIdentity {
  /** Empty if the provider gives none. */
  readonly email: string;
  readonly isVerified: boolean;
  readonly facts?: Finished['facts'];
}

/** Sign-in with a workspace's provider: OpenID Connect, code with PKCE (RFC 9700). */
@Injectable()
export class OpenIdConnect {
  constructor(
    private readonly providers: OidcProviders,
    private readonly challenges: BrowserChallenges,
    private readonly authorizations: Authorizations,
    private readonly members: MemberAuthentication,
    private readonly domains: WorkspaceDomains,
    private readonly config: GatewayConfig,
    private readonly operations: OperationClient,
  ) {}

  /**
   * `this` if the workspace that is meant signs in with a provider; else `some` if any workspace that is reached under
   * this host does.
   * @throws Problem AUTHORIZATIONS_UNAVAILABLE
   */
  async offered(wanted: Wanted, host: string): Promise<'this' | 'some' | 'none'> {
    if (await this.find(wanted, host)) return 'this';
    const [some] = await this.reached(null, null, host);
    return some ? 'some' : 'none';
  }

  /**
   * @param next the path to go on to afterwards
   * @throws OidcRefused, Problem AUTHORIZATIONS_UNAVAILABLE
   */
  async start(
    wanted: Wanted,
    host: string,
    next: string | null,
  ): Promise<{ url: string; cookie: string }> {
    const found = await this.found(wanted, host);
    const provider = await this.connect(found);
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.providers.redirectUriOf(provider, found.tenant_id),
      scope: 'openid email',
      // Asks anew, since another person may sit at a member's open browser.
      max_age: String(proofSeconds),
      ...{ state, nonce, code_challenge_method: 'S256' },
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      ...(wanted.email !== undefined && { login_hint: wanted.email }),
    });
    const onward = next === null ? {} : { next };
    const begun = { state, nonce, verifier, workspace: found.tenant_id, ...onward };
    return { url: url.href, cookie: await this.challenges.cookieFor('oidc', begun) };
  }

  /**
   * The member behind the provider's answer.
   * @param path where it was answered to: another workspace's provider may have answered, by which an attacker's
   *   would get a code of the victim's (RFC 9700 §4.4)
   * @param query the answer
   * @throws OidcRefused, Problem AUTHORIZATIONS_UNAVAILABLE
   */
  async finish(
    path: string,
    query: string,
    cookies: string | undefined,
    host: string,
  ): Promise<Finished> {
    const begun = (await this.challenges.take('oidc', cookies)) ?? {};
    const { workspace: tenantId } = begun;
    if (tenantId === undefined) throw new OidcRefused('not_begun');
    const found = await this.found({ workspace: tenantId }, host);
    if (found.tenant_id !== tenantId) throw new OidcRefused('unknown_workspace');
    const provider = await this.connect(found);
    const answer = new URL(`${this.providers.redirectUriOf(provider, tenantId)}?${query}`);
    if (answer.pathname !== path) throw new OidcRefused('not_begun');
    const { email, isVerified, facts } = await this.address(provider, answer, begun);
    const member = await this.members.byAddress(found.tenant_id, email, host);
    if (!member || !isVerified || !isOf(found.domains, email))
      throw new OidcRefused('not_a_member', undefined, member?.caller);
    const next = begun['next'] ?? null;
    return { member, next, facts: { ...facts, ...this.signOut(provider) } };
  }

  private async found(wanted: Wanted, host: string): Promise<WorkspaceProvider> {
    const found = await this.find(wanted, host);
    if (!found) throw new OidcRefused('unknown_workspace');
    return found;
  }

  /** The one workspace that is meant. */
  private async find(
    { workspace, email }: Wanted,
    host: string,
  ): Promise<WorkspaceProvider | null> {
    const named = workspace ?? this.domains.workspaceOf(host);
    if (named === undefined)
      return email === undefined ? null : this.ofDomain(domainOf(email), host);
    const [found = null, ...others] = await this.reached(named, null, host);
    return others.length > 0 ? null : found;
  }

  /** Any workspace may name a domain; it leads to the one that has proved it. */
  private async ofDomain(domain: string, host: string): Promise<WorkspaceProvider | null> {
    const [some] = await this.authorizations.find(findOidc, null, domain);
    if (!some) return null;
    const owner = await this.ownerOf(domain, some.tenant_id);
    if (owner === null) return null;
    const [found] = await this.reached(owner, null, host);
    return found?.domains.includes(domain) ? found : null;
  }

  /** @param tenantId counts the question as its own */
  private async ownerOf(domain: string, tenantId: string): Promise<string | null> {
    const nobody: MemberCaller = {
      ...{ type: 'member', tenantId, source: 'app', memberId: '', email: '', name: '' },
      ...{ role: 'member', canApprove: false, sessionId: null },
    };
    const input = { name: domainName(domain) ?? domain };
    const options = { requestId: newId('req'), timeoutMs: ownerTimeoutMs };
    const reply = await this.operations.call(domainOwners.get, nobody, input, options);
    requireSuccess(reply);
    return (JSON.parse(reply.body.toString()) as DomainOwner).tenantId;
  }

  private async reached(
    named: string | null,
    domain: string | null,
    host: string,
  ): Promise<WorkspaceProvider[]> {
    const all = await this.authorizations.find(findOidc, named, domain);
    return all.filter(({ tenant_id: id, tenant_name: name }) =>
      this.domains.serves(host, { id, name }),
    );
  }

  private connect(found: WorkspaceProvider): Promise<client.Configuration> {
    return this.providers.connect(found).catch((cause: unknown) => {
      throw new OidcRefused('down', cause);
    });
  }

  private async address(
    provider: client.Configuration,
    answer: URL,
    { state = '', nonce = '', verifier = '' }: Readonly<Record<string, string>>,
  ): Promise<ProviderIdentity> {
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await client.authorizationCodeGrant(provider, answer, {
        ...checks,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) return { email: '', isVerified: false };
      const { email, email_verified: verified } =
        'email' in claims
          ? claims
          : await client.fetchUserInfo(provider, tokens.access_token, claims.sub);
      const told = typeof email === 'string' ? email.toLowerCase() : '';
      const { auth_time: seconds } = claims;
      return {
        email: told,
        isVerified: verified === true,
        facts: seconds === undefined ? {} : { authenticatedAt: atMost(Date.now(), seconds * 1000) },
      };
    } catch (cause) {
      throw new OidcRefused(isProviderDown(cause) ? 'down' : 'refused', cause);
    }
  }

  private signOut(provider: client.Configuration): Finished['facts'] {
    if (provider.serverMetadata().end_session_endpoint === undefined) return {};
    const back = new URL('/', this.config.publicUrl).href;
    const url = client.buildEndSessionUrl(provider, { post_logout_redirect_uri: back });
    return { signOutUrl: url.href };
  }
}

const ownerTimeoutMs = 5_000;

/** The age that the provider's own sign-in may have: as long as a proof counts. */
const proofSeconds = 15 * 60;

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

const atMost = (latest: number, at: number): string => new Date(Math.min(latest, at)).toISOString();

/** An empty list admits every domain. */
const isOf = (domains: readonly string[], email: string): boolean =>
  domains.length === 0 || domains.includes(domainOf(email));
