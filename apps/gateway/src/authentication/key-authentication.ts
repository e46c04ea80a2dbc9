import { Injectable } from '@nestjs/common';
import { parseApiKey, verifySecret, type ParsedApiKey } from '@postroom/access';
import type { Approval, KeyKind, MailboxAccess, Scope } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import type { Authorization, Refused } from './authorization.js';
import { Authorizations } from './authorizations.js';
import { WorkspaceDomains } from './workspace-domains.js';

interface KeyRow {
  id: string;
  tenant_id: string;
  tenant_name: string;
  send_open: boolean;
  name: string;
  kind: KeyKind;
  approval: Approval | null;
  scopes: Scope[];
  grants: Record<string, MailboxAccess>;
  member_id: string | null;
  member_email: string | null;
  admin: boolean;
  secret_hash: string;
  alive: boolean;
}

const findKey = statement<KeyRow>('access.find_key', 'SELECT * FROM find_key($1)');

/** Finds who presents an API key; every cause of refusal costs the same work (public-api.md §5.11). */
@Injectable()
export class KeyAuthentication {
  constructor(
    private readonly authorizations: Authorizations,
    private readonly domains: WorkspaceDomains,
  ) {}

  async authenticate(presented: string | null, host: string): Promise<Authorization | Refused> {
    const parsed = parseApiKey(presented);
    const [row] = await this.authorizations.find(findKey, `key_${parsed.id}`);
    const genuine = verifySecret(parsed.secret, row?.secret_hash ?? null);
    if (!row) return { reason: strangeness(presented, parsed), recognised: null };
    const reason = this.fault(row, genuine && parsed.wellFormed && row.kind === parsed.kind, host);
    if (reason !== null) return { reason, recognised: { tenantId: row.tenant_id, keyId: row.id } };
    return { caller: callerOf(row), sendOpen: row.send_open };
  }

  private fault(row: KeyRow, genuine: boolean, host: string): string | null {
    if (!genuine) return 'wrong secret';
    if (!row.alive) return 'revoked or expired';
    const tenant = { id: row.tenant_id, name: row.tenant_name };
    return this.domains.serves(host, tenant) ? null : 'domain of another workspace';
  }
}

const strangeness = (presented: string | null, { wellFormed }: ParsedApiKey): string => {
  if (presented === null) return 'missing';
  return wellFormed ? 'unknown' : 'malformed';
};

const callerOf = (row: KeyRow): Authorization['caller'] => ({
  type: 'key',
  tenantId: row.tenant_id,
  source: 'api',
  keyId: row.id,
  name: row.name,
  kind: row.kind,
  approval: row.approval,
  scopes: row.scopes,
  grants: row.grants,
  member:
    row.member_id !== null && row.member_email !== null
      ? { id: row.member_id, email: row.member_email }
      : null,
  admin: row.admin,
});
