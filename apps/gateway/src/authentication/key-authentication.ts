import { Injectable } from '@nestjs/common';
import { parseApiKey, verifySecret } from '@postroom/access';
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
    const { id, kind, secret, wellFormed } = parseApiKey(presented);
    const [row] = await this.authorizations.find(findKey, `key_${id}`);
    const genuine = verifySecret(secret, row?.secret_hash ?? null);
    if (!row) {
      const reason = presented === null ? 'missing' : wellFormed ? 'unknown' : 'malformed';
      return { reason, recognised: null };
    }
    const recognised = { tenantId: row.tenant_id, keyId: row.id };
    if (!genuine || !wellFormed || row.kind !== kind) {
      return { reason: 'wrong secret', recognised };
    }
    if (!row.alive) return { reason: 'revoked or expired', recognised };
    const tenant = { id: row.tenant_id, name: row.tenant_name };
    if (!this.domains.serves(host, tenant)) {
      return { reason: 'domain of another workspace', recognised };
    }
    return { caller: callerOf(row), tenant, sendOpen: row.send_open };
  }
}

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
