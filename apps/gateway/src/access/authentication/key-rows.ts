import type { KeyCaller } from '@postroom/access';
import type { Approval, KeyKind, MailboxAccess, Scope } from '@postroom/contracts';
import { statement } from '@postroom/persistence';

/** A key as it is looked up, with what its checks need of its workspace. */
export interface KeyRow {
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
  /** Milliseconds until it expires; null for a key that does not. */
  lasts_ms: number | null;
}

export const findKey = statement<KeyRow>('access.find_key', 'SELECT * FROM find_key($1)');

export const callerOf = (row: KeyRow): KeyCaller => ({
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
