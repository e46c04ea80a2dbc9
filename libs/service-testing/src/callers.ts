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

/** A member of a workspace who is no administrator; of a new one, when none is named. */
export const aMember = (given: Partial<MemberCaller> = {}): MemberCaller =>
  anAdmin({ email: 'max@acme.test', name: 'Max', role: 'member', canApprove: false, ...given });

/** An AI agent's key whose writes wait for a person; of a new workspace, when none is named. */
export const anAgent = (given: Partial<KeyCaller> = {}): KeyCaller =>
  aKey({ name: 'An agent', kind: 'agent', approval: 'required', ...given });
