import type { KeyCaller, MemberCaller } from '@postroom/access';
import { newId, scopeNames } from '@postroom/contracts';

/** A key of a workspace; of a new one, when none is named. */
export const aKey = (given: Partial<KeyCaller> = {}): KeyCaller => ({
  type: 'key',
  tenantId: newId('ten'),
  source: 'api',
  keyId: newId('key'),
  name: 'An integration',
  kind: 'human',
  approval: null,
  scopes: scopeNames,
  grants: {},
  member: null,
  admin: false,
  ...given,
});

/** An administrator of a workspace; of a new one, when none is named. */
export const anAdmin = (given: Partial<MemberCaller> = {}): MemberCaller => ({
  type: 'member',
  tenantId: newId('ten'),
  source: 'app',
  memberId: newId('mbr'),
  email: 'ada@acme.test',
  name: 'Ada',
  role: 'admin',
  canApprove: true,
  sessionId: null,
  ...given,
});
