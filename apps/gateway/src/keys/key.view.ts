import type { Key } from '@postroom/contracts';
import type { MemberEntity } from '../members/index.js';
import type { KeyEntity } from './key.entity.js';

/** A key, and the member it is attached to, as settings show it. */
export const keyView = (key: KeyEntity, member: Pick<MemberEntity, 'email'> | null): Key => ({
  id: key.id,
  name: key.name,
  kind: key.kind,
  approval: key.approval,
  scopes: key.scopes,
  mailboxes: Object.entries(key.grants).map(([address, access]) => ({ address, access })),
  member: member?.email ?? null,
  admin: key.admin,
  hint: key.hint,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  createdAt: key.createdAt.toISOString(),
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  revokedAt: key.revokedAt?.toISOString() ?? null,
  version: key.version,
});
