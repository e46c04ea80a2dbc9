import { Injectable } from '@nestjs/common';
import { newApiKey, type MemberCaller } from '@postroom/access';
import {
  agentScopes,
  mcp,
  mountPoints,
  newId,
  type Assistants,
  type MailboxAccess,
  type Scope,
} from '@postroom/contracts';
import { isUniqueViolation, OperationClient, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { GatewayConfig } from '../../config.js';
import { Authorizations } from '../authentication/authorizations.js';
import { BrowserChallenges, type ChallengeFacts } from '../authentication/browser-challenges.js';
import { KeyEntity, TenantEntity } from '../entities.js';
import { WorkspaceQuotas } from '../quotas.js';
import { OAuthClients, requireRegistered, type OAuthClient } from './clients.js';
import { hostBehind } from './redirects.js';
import { OAuthRefused, parametersOf, type Parameters } from './refusal.js';
import { hashToken, mailboxesOf, newToken } from './tokens.js';

const insertCode = statement<object>(
  'access.insert_oauth_code',
  `INSERT INTO oauth_tokens (hash, tenant_id, key_id, kind, redirect_uri, challenge, created_at, expires_at)
   VALUES ($2, $1, $3, 'code', $4, $5, $6::timestamptz, $6::timestamptz + interval '1 minute')`,
);
const findCode = statement<{ is_used: boolean }>(
  'access.find_oauth_code',
  `SELECT used_at IS NOT NULL AS is_used FROM oauth_tokens WHERE tenant_id = $1 AND hash = $2`,
);
const keepClient = statement<object>('access.keep_oauth_client', 'SELECT keep_oauth_client($1)');
const countConnections = statement<{ connections: number }>(
  'access.count_connections',
  `SELECT count(*)::int AS connections FROM keys WHERE tenant_id = $1 AND member_id = $2
     AND client IS NOT NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
);

const connectionsMax = 50;
const codeLastsMs = 60_000;
/** The time for deciding is that of a sign-in that was begun. */
const way = 'consent';

/** A request of an assistant, as a member is asked about it. */
export interface ConsentRequest {
  readonly client: OAuthClient;
  /** The host that answers for the client, or that its answer goes to. */
  readonly host: string;
  readonly redirectUri: string;
  /** Those that it asks for, as far as the workspace lets a member allow them. */
  readonly scopes: readonly Scope[];
  /** The name of the member's workspace. */
  readonly workspace: string;
  /** Mailboxes of the member, and how it may use them. */
  readonly mailboxes: ReadonlyMap<string, MailboxAccess>;
  /** The request itself, which comes back with the decision. */
  readonly sealed: string;
}

/** The decision of a member. */
export interface Choice {
  readonly scopes: readonly Scope[];
  readonly grants: Readonly<Record<string, MailboxAccess>>;
}

/** Asks members about assistants, and makes of their consent the key of a connection. */
@Injectable()
export class Consents {
  constructor(
    private readonly clients: OAuthClients,
    private readonly challenges: BrowserChallenges,
    private readonly authorizations: Authorizations,
    private readonly operations: OperationClient,
    private readonly quotas: WorkspaceQuotas,
    private readonly work: UnitOfWork,
    private readonly config: GatewayConfig,
  ) {}

  /** The deployment as a server of authorizations (RFC 8414). */
  get issuer(): string {
    return new URL(this.config.publicUrl).origin;
  }

  /** The one address that tokens are for (RFC 8707). */
  get resource(): string {
    return this.issuer + mountPoints.key + mcp.latest.path;
  }

  /** Reads a request (RFC 6749 §4.1.1). @throws OAuthRefused, Problem that the mail service answered */
  async ask(
    query: URLSearchParams,
    member: MemberCaller,
    requestId: string,
  ): Promise<ConsentRequest> {
    const asked = parametersOf(query);
    const client = await this.clients.find(asked['client_id'] ?? '', member.memberId);
    const redirectUri = asked['redirect_uri'] ?? '';
    requireRegistered(redirectUri, client);
    const state = asked['state'];
    const refuse = (code: string, description: string) =>
      new OAuthRefused(code, description, 400, this.answer({ redirectUri, state, error: code }));
    const fault = this.faultOf(asked);
    if (fault) throw refuse(...fault);
    const facts = {
      ...{ client: client.id, redirectUri, challenge: asked['code_challenge'] ?? '' },
      ...{ name: client.name, scope: asked['scope'] ?? '', code: newToken('code') },
      ...{ member: member.memberId, session: member.sessionId ?? '', ...(state && { state }) },
    };
    const shown = await this.shown(facts, client, member, requestId);
    if (shown.scopes.length === 0)
      throw refuse('invalid_scope', 'Your workspace allows none of what it asks for.');
    return { ...shown, sealed: await this.challenges.seal(way, facts) };
  }

  /** The same request, when the member has decided. @throws OAuthRefused */
  async reopen(sealed: string, member: MemberCaller, requestId: string): Promise<ConsentRequest> {
    const facts = await this.opened(sealed, member);
    const client = await this.clients.find(facts['client'] ?? '', member.memberId, true);
    requireRegistered(facts['redirectUri'] ?? '', client);
    if (client.name !== facts['name'])
      throw new OAuthRefused('invalid_request', 'The assistant has changed. Begin again there.');
    return { ...(await this.shown(facts, client, member, requestId)), sealed };
  }

  /** @returns where the refusal leads */
  async deny(sealed: string, member: MemberCaller): Promise<string> {
    const { redirectUri, state } = await this.opened(sealed, member);
    return this.answer({ redirectUri, state, error: 'access_denied' });
  }

  /**
   * Allows what was chosen. A second click leads to the same, as long as the code was not redeemed.
   * @returns where the consent leads
   * @throws OAuthRefused
   */
  async allow(
    { client, host, redirectUri, scopes, mailboxes, sealed }: ConsentRequest,
    choice: Choice,
    member: MemberCaller,
    requestId: string,
  ): Promise<string> {
    const { code = '', challenge, ...facts } = await this.opened(sealed, member);
    const { tenantId, memberId } = member;
    const grants = Object.fromEntries(
      Object.entries(choice.grants).filter(([address, access]) =>
        access === 'read' ? mailboxes.has(address) : mailboxes.get(address) === 'write',
      ),
    );
    const origin = { tenantId, actor: { type: 'member', id: memberId }, source: 'app' } as const;
    const made = this.work.change(origin, null, async (changing) => {
      const { manager, rows, at } = changing;
      await this.quotas.requireRoomForKey(changing);
      const [own] = await rows(countConnections, [memberId]);
      if ((own?.connections ?? 0) >= connectionsMax)
        throw new OAuthRefused('access_denied', 'Too many assistants: disconnect one first.');
      const id = newId('key');
      // The secret is thrown away; only its hash is kept.
      const { secretHash, hint } = newApiKey('agent', id.slice('key_'.length));
      await manager.insert(KeyEntity, {
        ...{ id, tenantId, memberId, name: named(client.name, host), kind: 'agent' },
        ...{ approval: 'required', admin: false, grants, secretHash, hint, createdAt: at },
        scopes: scopes.filter((scope) => choice.scopes.includes(scope)),
        ...{
          lastUsedAt: null,
          revokedAt: null,
          client: { id: client.id, name: client.name, host },
        },
        expiresAt: new Date(at.getTime() + codeLastsMs),
      });
      await rows(insertCode, [hashToken(code), id, redirectUri, challenge, at]);
      const audit = { action: 'connections.allow', subjectId: id, requestId };
      return { value: undefined, audit };
    });
    await made.catch((error: unknown) => this.requireUnused(error, tenantId, code));
    await this.authorizations.find(keepClient, client.id);
    return this.answer({ ...facts, redirectUri, code });
  }

  private async requireUnused(error: unknown, tenantId: string, code: string): Promise<void> {
    if (!isUniqueViolation(error, 'oauth_tokens_pkey')) throw error;
    const [found] = await this.work.readOnly({ tenantId }, ({ rows }) =>
      rows(findCode, [hashToken(code)]),
    );
    if (found?.is_used !== false)
      throw new OAuthRefused('invalid_request', 'You have allowed this already.');
  }

  private async opened(
    sealed: string,
    { memberId, sessionId }: MemberCaller,
  ): Promise<ChallengeFacts> {
    const facts = await this.challenges.opened(way, sealed);
    if (!facts || facts['member'] !== memberId || facts['session'] !== sessionId)
      throw new OAuthRefused(
        'invalid_request',
        'This page has expired, or is another member’s. Begin again at the assistant.',
      );
    return facts;
  }

  private async shown(
    { redirectUri = '', scope = '' }: ChallengeFacts,
    client: OAuthClient,
    member: MemberCaller,
    requestId: string,
  ): Promise<Omit<ConsentRequest, 'sealed'>> {
    const host = client.host ?? hostBehind(redirectUri);
    const { assistants, name: workspace } = await this.work.readOnly(member, ({ manager }) =>
      manager.findOneByOrFail(TenantEntity, { id: member.tenantId }),
    );
    if (!mayConnect(assistants, host))
      throw new OAuthRefused('access_denied', 'Your administrator has not allowed this assistant.');
    const asked = scope.split(' ').filter((one) => one !== '');
    const scopes = agentScopes.filter(
      (one) => assistants.scopes.includes(one) && (asked.length === 0 || asked.includes(one)),
    );
    const mailboxes = await mailboxesOf(this.operations, member, requestId);
    return { client, host, redirectUri, scopes, workspace, mailboxes };
  }

  /** The first fault of a request whose answer may be sent back (RFC 6749 §4.1.2.1, RFC 8707 §2). */
  private faultOf(asked: Parameters): readonly [string, string] | null {
    const { response_type: type, code_challenge: challenge = '', resource = this.resource } = asked;
    if (type !== 'code') return ['unsupported_response_type', 'Expected response_type=code.'];
    if (asked['code_challenge_method'] !== 'S256' || !/^[\w-]{43}$/.test(challenge))
      return ['invalid_request', 'Expected PKCE, with code_challenge_method=S256.'];
    if (resource !== this.resource) return ['invalid_target', `Expected ${this.resource}.`];
    return null;
  }

  /** Leads back to the client, with who answers (RFC 9207). */
  private answer({ redirectUri = '', ...facts }: Parameters): string {
    const url = new URL(redirectUri);
    const { state, code, error } = facts;
    for (const [name, value] of Object.entries({ code, error, state, iss: this.issuer }))
      if (value !== undefined) url.searchParams.set(name, value);
    return url.href;
  }
}

/** The same as `may_connect` in SQL, by which it holds for those that are connected. */
const mayConnect = ({ enabled, clients }: Assistants, host: string): boolean =>
  enabled && (clients.length === 0 || clients.includes(host));

const named = (name: string, host: string): string =>
  [...`${name} (${host})`].slice(0, 120).join('');
