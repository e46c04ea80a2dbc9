import type { Key } from '@postroom/contracts';
import type { KeyEntity } from './key.entity.js';

/** A key as settings show it. `memberEmail` is the address of the member it is attached to. */
export const keyView = (key: KeyEntity, memberEmail: string | null): Key => ({
  id: key.id,
  name: key.name,
  kind: key.kind,
  approval: key.approval,
  scopes: key.scopes,
  mailboxes: Object.entries(key.grants).map(([address, access]) => ({ address, access })),
  member: memberEmail,
  admin: key.admin,
  hint: key.hint,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  createdAt: key.createdAt.toISOString(),
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  revokedAt: key.revokedAt?.toISOString() ?? null,
  version: key.version,
});
