import { describe, expect, it } from '@jest/globals';
import type { KeyCaller, MemberCaller } from './caller.js';
import { actorOf, memberOf } from './checks.js';

const key: KeyCaller = {
  type: 'key',
  tenantId: 'ten_1',
  source: 'api',
  keyId: 'key_1',
  name: 'a key',
  kind: 'human',
  approval: null,
  scopes: [],
  grants: {},
  member: { id: 'mbr_2', email: 'ann@acme.test' },
  admin: false,
};

const member: MemberCaller = {
  type: 'member',
  tenantId: 'ten_1',
  source: 'app',
  memberId: 'mbr_1',
  email: 'bob@acme.test',
  name: 'Bob',
  role: 'admin',
  canApprove: true,
  sessionId: null,
};

describe('a caller', () => {
  it('is named by its key, also where a member is behind it', () => {
    expect(actorOf(key)).toEqual({ type: 'key', id: 'key_1' });
    expect(actorOf(member)).toEqual({ type: 'member', id: 'mbr_1' });
  });

  it('has a member behind it: itself, the one of its key, or none', () => {
    expect(memberOf(member)).toBe('mbr_1');
    expect(memberOf(key)).toBe('mbr_2');
    expect(memberOf({ ...key, member: null })).toBeNull();
  });
});
