import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { scopeNames, type Key, type KeyList, type NewKey } from '@postroom/contracts';
import { Gateway, idOfKey, type SomeWorkspace } from '../testing/gateway.js';
import { bodyOf, type Answer } from '../testing/http.js';

const support = 'support@acme.test';
const sales = 'sales@acme.test';
const idempotent = { 'idempotency-key': 'a-good-key' };

describe('keys', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    workspace = await gateway.workspace();
    gateway.mail.mailboxes.set(workspace.id, [support, sales]);
    gateway.mail.calls.length = 0;
  });

  const settings = (method: string, path: string, body?: object): Promise<Answer> =>
    gateway.settings(workspace.admin, method, path, body);
  const create = async (given: object = {}): Promise<NewKey> => {
    const answer = await settings('POST', '/keys', { name: 'A key', ...given });
    expect(answer.status).toBe(201);
    return JSON.parse(answer.text) as NewKey;
  };
  const change = (id: string, body: object): Promise<Answer> =>
    settings('PATCH', `/keys/${id}`, body);
  const keyOf = (answer: Answer): Key => (JSON.parse(answer.text) as NewKey).key;
  const keys = async (): Promise<readonly Key[]> =>
    (JSON.parse((await settings('GET', '/keys')).text) as KeyList).items;
  const list = async (secret: string, mailbox = support): Promise<number> =>
    (await gateway.ask(secret, `/v1/conversations?mailbox=${mailbox}`)).status;
  const archive = async (secret: string): Promise<number> => {
    const ask = { method: 'POST', headers: idempotent, body: { mailbox: support } };
    return (await gateway.ask(secret, '/v1/conversations/x/archive', ask)).status;
  };
  const expectFault = (answer: Answer, field: string): void => {
    expect(answer.status).toBe(400);
    expect(bodyOf(answer)).toMatchObject({ error: 'INVALID_REQUEST', details: [{ field }] });
  };

  describe('POST /keys', () => {
    it('makes one that opens at once, and shows its secret this once', async () => {
      const { key, secret } = await create({ mailboxes: [{ address: support, access: 'read' }] });
      expect(await list(secret)).toBe(200);
      expect(key.id).toBe(idOfKey(secret));
      expect(secret.endsWith(key.hint)).toBe(true);
      const shown = [await settings('GET', '/keys'), await change(key.id, { name: 'Renamed' })];
      for (const { text } of shown) expect(text).not.toContain(secret.slice(-40));
    });

    it('gives few rights unless told otherwise', async () => {
      const { key } = await create();
      expect(key).toMatchObject({
        ...{ kind: 'human', approval: null, scopes: ['read:conversations'], mailboxes: [] },
        ...{
          member: null,
          admin: false,
          expiresAt: null,
          lastUsedAt: null,
          revokedAt: null,
          version: 1,
        },
      });
    });

    it('gives what it is told, as the list then shows it', async () => {
      const member = await gateway.member(workspace);
      const given = {
        ...{
          name: 'Everything',
          kind: 'human',
          scopes: [...scopeNames],
          member: member.email,
          admin: true,
        },
        mailboxes: [
          { address: sales, access: 'read' },
          { address: support, access: 'write' },
        ],
        expiresAt: '2099-01-01T00:00:00.000Z',
      };
      const { key } = await create(given);
      expect(key).toMatchObject(given);
      expect(await keys()).toEqual([
        { ...key, mailboxes: expect.arrayContaining(given.mailboxes) },
      ]);
    });

    it.each([
      [undefined, 'required'],
      [null, 'required'],
      ['required', 'required'],
      ['none', 'none'],
    ])('makes an agent key with approval %s wait: %s', async (approval, expected) => {
      const { key, secret } = await create({
        ...{ kind: 'agent', scopes: ['write:conversations'] },
        ...(approval !== undefined && { approval }),
        mailboxes: [{ address: support, access: 'write' }],
      });
      expect(key.approval).toBe(expected);
      expect(await archive(secret)).toBe(expected === 'required' ? 202 : 200);
      const calls = gateway.mail.calls.filter(
        ({ request }) => request.operation === 'conversations.archive',
      );
      expect(calls).toMatchObject([{ request: { preview: expected === 'required' } }]);
    });

    it.each([
      ['name', { name: ' ' }],
      ['kind', { kind: 'robot' }],
      ['approval', { approval: 'required' }],
      ['scopes', { kind: 'agent', scopes: ['mail:send'] }],
      ['scopes', { scopes: ['write:everything'] }],
      ['scopes', { scopes: ['read:tasks', 'read:tasks'] }],
      [
        'mailboxes.1.address',
        {
          mailboxes: [
            { address: support, access: 'read' },
            { address: 'x@acme.test', access: 'read' },
          ],
        },
      ],
      ['mailboxes.0.access', { mailboxes: [{ address: support, access: 'own' }] }],
      ['member', { member: 'nobody@acme.test' }],
      ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
      ['expiresAt', { expiresAt: '2099-01-01' }],
      ['tenantId', { tenantId: 'ten_1' }],
    ])('names the field at fault: %s in %j', async (field, given) => {
      expectFault(await settings('POST', '/keys', { name: 'A key', ...given }), field);
      expect(await keys()).toEqual([]);
    });

    it('attaches to no member who is inactive, or of another workspace', async () => {
      const idle = await gateway.member(workspace);
      await settings('PATCH', `/members/${idle.id}`, { active: false });
      expectFault(await settings('POST', '/keys', { name: 'A key', member: idle.email }), 'member');
      const stranger = await gateway.member(await gateway.workspace());
      expectFault(
        await settings('POST', '/keys', { name: 'A key', member: stranger.email }),
        'member',
      );
    });

    it('grants no mailbox of another workspace', async () => {
      const other = await gateway.workspace();
      gateway.mail.mailboxes.set(other.id, ['support@other.test']);
      const mailboxes = [{ address: 'support@other.test', access: 'read' }];
      expectFault(
        await settings('POST', '/keys', { name: 'A key', mailboxes }),
        'mailboxes.0.address',
      );
    });

    it('grants nothing that cannot be checked', async () => {
      const mailboxes = [{ address: support, access: 'read' }];
      await gateway.mailGoes();
      const answer = await settings('POST', '/keys', { name: 'A key', mailboxes });
      await gateway.mailComes();
      expect(answer.status).toBe(503);
      expect(bodyOf(answer).error).toBe('SERVICE_UNAVAILABLE');
      expect(await keys()).toEqual([]);
    });
  });

  describe('PATCH /keys/{id}', () => {
    it('replaces given scopes and mailboxes whole, and keeps what it does not name', async () => {
      const { key } = await create({
        scopes: ['read:conversations', 'read:tasks'],
        mailboxes: [
          { address: support, access: 'write' },
          { address: sales, access: 'read' },
        ],
      });
      const scoped = keyOf(await change(key.id, { scopes: ['read:contacts'] }));
      expect(scoped).toMatchObject({ scopes: ['read:contacts'], version: 2 });
      expect(scoped.mailboxes).toHaveLength(2);
      const granted = keyOf(
        await change(key.id, { mailboxes: [{ address: sales, access: 'write' }] }),
      );
      expect(granted).toEqual({
        ...scoped,
        mailboxes: [{ address: sales, access: 'write' }],
        version: 3,
      });
      expect(keyOf(await change(key.id, { scopes: [], mailboxes: [] }))).toMatchObject({
        scopes: [],
        mailboxes: [],
      });
    });

    it('is in force on the very next request', async () => {
      const { key, secret } = await create({ mailboxes: [{ address: support, access: 'write' }] });
      const after = async (body: object): Promise<number> => {
        expect((await change(key.id, body)).status).toBe(200);
        return list(secret);
      };
      for (let i = 0; i < 5; i++) {
        expect(await after({ scopes: [] })).toBe(403);
        expect(await after({ scopes: ['read:conversations'] })).toBe(200);
        expect(await after({ mailboxes: [] })).toBe(403);
        expect(await after({ mailboxes: [{ address: support, access: 'read' }] })).toBe(200);
      }
    });

    it('gives, keeps and takes an end', async () => {
      const { key, secret } = await create({ mailboxes: [{ address: support, access: 'read' }] });
      const end = new Date(Date.now() + 3_600_000).toISOString();
      expect(keyOf(await change(key.id, { expiresAt: end }))).toMatchObject({ expiresAt: end });
      expect(keyOf(await change(key.id, { name: 'Renamed' }))).toMatchObject({ expiresAt: end });
      expect(await list(secret)).toBe(200);
      const passed = new Date(Date.now() - 1_000).toISOString();
      await gateway.rows('UPDATE keys SET expires_at = $2 WHERE id = $1', [key.id, passed]);
      await change(key.id, { name: 'Renamed again' });
      expect(await list(secret)).toBe(401);
      expect(keyOf(await change(key.id, { expiresAt: passed }))).toMatchObject({
        expiresAt: passed,
      });
      expect(keyOf(await change(key.id, { expiresAt: null }))).toMatchObject({ expiresAt: null });
      expect(await list(secret)).toBe(200);
    });

    it('changes and takes the member', async () => {
      const member = await gateway.member(workspace);
      const { key } = await create();
      expect(keyOf(await change(key.id, { member: member.email })).member).toBe(member.email);
      expect(keyOf(await change(key.id, { name: 'Renamed' })).member).toBe(member.email);
      await settings('PATCH', `/members/${member.id}`, { active: false });
      expect(keyOf(await change(key.id, { member: member.email })).member).toBe(member.email);
      expect(keyOf(await change(key.id, { member: null })).member).toBeNull();
      expect((await change(key.id, { member: member.email })).status).toBe(400);
    });

    it('changes the approval of an agent key, not of a human one', async () => {
      const { key } = await create({ kind: 'agent' });
      expect(keyOf(await change(key.id, { approval: 'none' })).approval).toBe('none');
      const { key: human } = await create();
      expectFault(await change(human.id, { approval: 'required' }), 'approval');
    });

    it('grants mail:send to no agent key, and lets one that holds it be changed otherwise', async () => {
      const { key } = await create({ kind: 'agent' });
      expectFault(await change(key.id, { scopes: ['mail:send'] }), 'scopes');
      await gateway.rows(`UPDATE keys SET scopes = '{mail:send}' WHERE id = $1`, [key.id]);
      expect((await change(key.id, { name: 'Imported' })).status).toBe(200);
    });

    it.each([
      ['kind', { kind: 'agent' }],
      ['mailboxes.0.address', { mailboxes: [{ address: 'x@acme.test', access: 'read' }] }],
      ['member', { member: 'nobody@acme.test' }],
      ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ])('names the field at fault, and changes nothing: %s', async (field, body) => {
      const { key } = await create();
      expectFault(await change(key.id, { ...body, name: 'Renamed' }), field);
      expect(await keys()).toEqual([key]);
    });
  });

  it('have no member on the next request after that member was made inactive', async () => {
    const member = await gateway.member(workspace);
    const rights = {
      member,
      scopes: ['read:conversations'],
      grants: { [support]: 'read' },
    } as const;
    const secret = await gateway.key(workspace, rights);
    const memberSeenByMail = async (): Promise<unknown> => {
      await list(secret);
      const caller = gateway.mail.calls.at(-1)?.caller;
      return caller?.type === 'key' ? caller.member : undefined;
    };
    expect(await memberSeenByMail()).toEqual({ id: member.id, email: member.email });
    await settings('PATCH', `/members/${member.id}`, { active: false });
    expect(await memberSeenByMail()).toBeNull();
    await settings('PATCH', `/members/${member.id}`, { active: true });
    expect(await memberSeenByMail()).toEqual({ id: member.id, email: member.email });
  });

  it('are revoked for good, at once, and stay in the list', async () => {
    const { key, secret } = await create({ mailboxes: [{ address: support, access: 'read' }] });
    expect(bodyOf(await settings('DELETE', `/keys/${key.id}`))).toEqual({ ok: true });
    expect(await list(secret)).toBe(401);
    const [revoked] = await keys();
    expect(revoked?.revokedAt).toMatch(/Z$/);
    expect((await settings('DELETE', `/keys/${key.id}`)).status).toBe(200);
    await change(key.id, { name: 'Renamed', expiresAt: null });
    expect((await keys())[0]).toMatchObject({ revokedAt: revoked?.revokedAt, name: 'Renamed' });
    expect(await list(secret)).toBe(401);
  });

  it('leave an audit record for each change, which holds nothing secret', async () => {
    const { key, secret } = await create();
    await change(key.id, { name: 'Renamed' });
    await settings('DELETE', `/keys/${key.id}`);
    const records = await gateway.audit(workspace);
    expect(records.map(({ action }) => action)).toEqual([
      'keys.create',
      'keys.update',
      'keys.revoke',
    ]);
    for (const { subjectId } of records) expect(subjectId).toBe(key.id);
    const kept = await gateway.rows('SELECT * FROM audit_records');
    expect(JSON.stringify(kept)).not.toContain(secret.slice(-40));
  });

  it('are kept as a hash', async () => {
    const { secret } = await create();
    expect(JSON.stringify(await gateway.rows('SELECT * FROM keys'))).not.toContain(
      secret.slice(-40),
    );
  });
});
