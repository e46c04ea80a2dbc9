import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { KeyCaller, MemberCaller } from '@postroom/access';
import {
  mailLists,
  Problem,
  type MailboxAccess,
  type ReadableMailboxes,
  type Role,
} from '@postroom/contracts';
import { OperationClient, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { requireSuccess } from '../../problems.js';
import { revokeKeys } from '../approvals/approval-rows.js';
import {
  Authorizations,
  type Authorization,
  type Refused,
} from '../authentication/authorizations.js';
import { KeyAuthentication } from '../authentication/key-authentication.js';
import { callerOf, type KeyRow } from '../authentication/key-rows.js';
import { WorkspaceDomains } from '../authentication/workspace-domains.js';
import { OAuthRefused } from './refusal.js';

type Kind = 'code' | 'access' | 'refresh';

interface TokenRow extends KeyRow {
  readonly token_kind: Kind;
  readonly redirect_uri: string | null;
  readonly challenge: string | null;
  readonly is_used: boolean;
  readonly is_live: boolean;
  readonly client_id: string;
  readonly member_name: string;
  readonly role: Role;
  readonly can_approve: boolean;
}

const findToken = statement<TokenRow>(
  'access.find_oauth_token',
  'SELECT * FROM find_oauth_token($1)',
);
const useToken = statement<object>(
  'access.use_oauth_token',
  `UPDATE oauth_tokens SET used_at = $3
   WHERE tenant_id = $1 AND hash = $2 AND used_at IS NULL RETURNING hash`,
);
/** The last hundred that were used are known again: of older ones a second use is refused as unknown. */
const insertTokens = statement<object>(
  'access.insert_oauth_tokens',
  `WITH old AS (DELETE FROM oauth_tokens WHERE tenant_id = $1 AND hash IN (
     (SELECT hash FROM oauth_tokens WHERE key_id = $2 AND kind = 'access'
       ORDER BY created_at DESC OFFSET 20)
     UNION ALL (SELECT hash FROM oauth_tokens WHERE key_id = $2 AND kind = 'refresh'
       ORDER BY created_at DESC OFFSET 100)))
   INSERT INTO oauth_tokens (hash, tenant_id, key_id, kind, created_at, expires_at)
   VALUES ($3, $1, $2, 'access', $5::timestamptz, $5::timestamptz + interval '10 minutes'),
     ($4, $1, $2, 'refresh', $5::timestamptz, $5::timestamptz + interval '30 days')`,
);
/** A connection lasts as long as its tokens do, once its code was redeemed. What was narrowed meanwhile stays so. */
const settle = statement<object>(
  'access.settle_connection',
  `UPDATE keys SET grants = CASE WHEN grants = $3::jsonb THEN $4::jsonb ELSE grants END,
     expires_at = CASE WHEN $5 THEN NULL ELSE expires_at END, version = version + 1
   WHERE tenant_id = $1 AND id = $2 AND ($5 OR $3::jsonb <> $4::jsonb)`,
);
export const newToken = (kind: Kind): string =>
  `pr_${kind}_${randomBytes(32).toString('base64url')}`;

/** The stored form of a token; 256 random bits need no salt. */
export const hashToken = (token: string): string => hash('sha256', token);

/** A code or refresh token that a client presents. */
export interface Presented {
  readonly kind: 'code' | 'refresh';
  readonly token: string;
  readonly clientId: string;
  /** The address that a code was sent to, as the client gives it. */
  readonly redirectUri?: string | null;
  readonly verifier?: string;
  readonly requestId: string;
}

/** Tokens of OAuth: each stands for the key of a connection, and is read together with it. */
@Injectable()
export class OAuthTokens {
  constructor(
    private readonly authorizations: Authorizations,
    private readonly keys: KeyAuthentication,
    private readonly domains: WorkspaceDomains,
    private readonly operations: OperationClient,
    private readonly work: UnitOfWork,
  ) {}

  /** The rights behind an access token, as they are now. */
  async authenticate(token: string, host: string): Promise<Authorization | Refused> {
    const [row] = await this.authorizations.find(findToken, hashToken(token));
    if (row?.token_kind !== 'access') return { reason: 'unknown', recognised: null };
    const served = { id: row.tenant_id, name: row.tenant_name };
    if (row.is_live && row.alive && this.domains.serves(host, served))
      return { caller: callerOf(row), sendOpen: row.send_open };
    return {
      reason: 'revoked or expired, or domain of another workspace',
      recognised: { tenantId: row.tenant_id, keyId: row.id },
    };
  }

  /**
   * New tokens for a code or refresh token, which counts once: presented again, or by whom it was not given to, it
   * ends the connection (RFC 9700 §4.5, §4.14).
   * @throws OAuthRefused
   */
  async exchange(presented: Presented): Promise<object> {
    const { kind, token, clientId, requestId } = presented;
    const [row] = await this.authorizations.find(findToken, hashToken(token));
    if (row?.token_kind !== kind || !row.alive || (!row.is_live && !row.is_used)) throw invalid();
    const isGenuine = row.client_id === clientId && isProved(row, presented);
    const grants = isGenuine ? await this.narrowed(row, requestId) : {};
    const [access, refresh] = [newToken('access'), newToken('refresh')];
    const isDone = await this.work.change(originOf(row), null, async (changing) => {
      const { rows, at } = changing;
      const used = isGenuine ? await rows(useToken, [hashToken(token), at]) : [];
      if (used.length === 0) {
        await changing.rows(revokeKeys, [[row.id], changing.at]);
        return { value: false, audit: auditOf('connections.misused', row, requestId) };
      }
      await rows(settle, [row.id, row.grants, grants, kind === 'code']);
      await rows(insertTokens, [row.id, hashToken(access), hashToken(refresh), at]);
      const audit = kind === 'code' ? auditOf('connections.begin', row, requestId) : [];
      return { value: true, audit };
    });
    // Narrowed, or ended, it is so on every gateway.
    await this.keys.lease.waitUntilInForce();
    if (!isDone) throw invalid();
    return {
      ...{ access_token: access, token_type: 'Bearer', expires_in: 600 },
      ...{ refresh_token: refresh, scope: row.scopes.join(' ') },
    };
  }

  /** RFC 7009: with any of its tokens the whole connection ends. @throws OAuthRefused */
  async revoke(token: string, clientId: string, requestId: string): Promise<void> {
    const [row] = await this.authorizations.find(findToken, hashToken(token));
    if (!row) return;
    if (row.client_id !== clientId)
      throw new OAuthRefused('invalid_client', 'The token was given to another client.');
    await this.work.change(originOf(row), null, async (changing) => {
      await changing.rows(revokeKeys, [[row.id], changing.at]);
      return { value: undefined, audit: auditOf('connections.end', row, requestId) };
    });
    await this.keys.lease.waitUntilInForce();
  }

  /** The grants of a connection without what its member may not do any more. */
  private async narrowed(row: TokenRow, requestId: string): Promise<KeyCaller['grants']> {
    const own = await mailboxesOf(this.operations, memberOf(row), requestId);
    return Object.fromEntries(
      Object.entries(row.grants).flatMap(([address, access]) => {
        const most = own.get(address);
        return most ? [[address, most === 'read' ? most : access]] : [];
      }),
    );
  }
}

/** The mailboxes that a member sees, and whether it may write in them. @throws Problem that the service answered */
export async function mailboxesOf(
  operations: OperationClient,
  member: MemberCaller,
  requestId: string,
): Promise<ReadonlyMap<string, MailboxAccess>> {
  const answer = await operations.call(mailLists.mailboxes, member, {}, { requestId });
  const { mailboxes } = JSON.parse(requireSuccess(answer).body.toString()) as ReadableMailboxes;
  return new Map(mailboxes.map(({ address, access }) => [address, access]));
}

/** PKCE (RFC 7636 §4.6), and the address that the code was sent to. */
function isProved(row: TokenRow, { kind, redirectUri, verifier = '' }: Presented): boolean {
  if (kind === 'refresh') return true;
  if (redirectUri != null && redirectUri !== row.redirect_uri) return false;
  return (
    /^[\w.~-]{43,128}$/.test(verifier) && hash('sha256', verifier, 'base64url') === row.challenge
  );
}

const invalid = () => new OAuthRefused('invalid_grant', 'It is unknown, expired, used, or ended.');

const originOf = ({ tenant_id: tenantId, id }: TokenRow) =>
  ({ tenantId, actor: { type: 'key', id }, source: 'api' }) as const;

const auditOf = (action: string, { id }: TokenRow, requestId: string) => ({
  action,
  subjectId: id,
  requestId,
});

function memberOf(row: TokenRow): MemberCaller {
  if (row.member_id === null) throw new Problem('UNAUTHENTICATED');
  return {
    ...{ type: 'member', tenantId: row.tenant_id, source: 'app', memberId: row.member_id },
    ...{ email: row.member_email ?? '', name: row.member_name, role: row.role },
    ...{ canApprove: row.can_approve, sessionId: null },
  };
}
