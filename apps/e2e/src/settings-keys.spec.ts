import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { repetitions } from '@postroom/testing/repetitions';
import type { Answer } from './http.js';
import { strangerOf } from './sameness.js';
import { errorOf, itemsOf, keyOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** How often a change is made that has to be in force at once. */
const times = repetitions(100, 10);

describe('the keys of the settings', () => {
  let place: Workplace;
  let mailbox: string;

  const create = (wishes: object): Promise<Answer> =>
    place.settings.post('/keys', { name: 'Integration', kind: 'human', ...wishes });
  const change = async (key: OwnKey, wishes: object): Promise<void> => {
    expect((await place.settings.patch(`/keys/${key.id}`, wishes)).status).toBe(200);
  };
  const list = async (key: OwnKey): Promise<number> =>
    (await key.get('/v1/conversations', { mailbox })).status;
  const grant = (access: string): object => ({ mailboxes: [{ address: mailbox, access }] });

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
  });

  describe('POST /keys', () => {
    it('shows the key with its secret, which works at once', async () => {
      const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
      const answer = await create({
        scopes: ['read:conversations', 'write:conversations'],
        ...grant('write'),
        member: place.tenant.member.email,
        admin: false,
        expiresAt,
      });
      expect(answer.status).toBe(201);
      const { secret } = keyOf(answer);
      expect(secret).toMatch(/^pr_human_[^_]+_[^_]+$/);
      expect(recordOf(answer)['key']).toMatchObject({
        id: expect.any(String),
        name: 'Integration',
        kind: 'human',
        approval: null,
        scopes: ['read:conversations', 'write:conversations'],
        mailboxes: [{ address: mailbox, access: 'write' }],
        member: place.tenant.member.email,
        admin: false,
        expiresAt,
        revokedAt: null,
      });
      expect((await place.with(secret).get('/v1/conversations', { mailbox })).status).toBe(200);
    });

    it('shows the secret this once', async () => {
      const { key, secret } = keyOf(await create(grant('read')));
      const listed = await place.settings.get('/keys');
      const changed = await place.settings.patch(`/keys/${key.id}`, { name: 'Renamed' });
      for (const text of [listed.text, changed.text]) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(secret.slice(-30));
        expect(text).not.toMatch(/[0-9a-f]{64}/);
      }
    });

    it('gives read:conversations alone when no scopes are named', async () => {
      expect(keyOf(await create({})).key.scopes).toEqual(['read:conversations']);
    });

    it('makes agent keys that need approval unless told otherwise', async () => {
      const answer = recordOf(await create({ kind: 'agent' }));
      expect(answer['key']).toMatchObject({ kind: 'agent', approval: 'required' });
      expect(answer['secret']).toMatch(/^pr_agent_/);
    });

    it.each([
      ['mail:send for an agent', { kind: 'agent', approval: 'none', scopes: ['mail:send'] }],
      ['an unknown scope', { scopes: ['read:everything'] }],
      ['scopes that are no list', { scopes: 'read:conversations' }],
      ['an unknown kind', { kind: 'robot' }],
      ['an unknown approval', { kind: 'agent', approval: 'sometimes' }],
      [
        'a grant of an unknown mailbox',
        { mailboxes: [{ address: 'x@acme.test', access: 'read' }] },
      ],
      ['a grant of an unknown kind', { mailboxes: [{ address: 'x@acme.test', access: 'admin' }] }],
      ['a grant that is none', { mailboxes: ['x@acme.test'] }],
      ['an unknown member', { member: 'nobody@acme.test' }],
      ['an end that is past', { expiresAt: '2020-01-01T00:00:00Z' }],
      ['an end that is no time', { expiresAt: 'tomorrow' }],
      ['an unknown field', { secret: 'mine' }],
      ['no name', { name: '' }],
    ])('refuses %s', async (_what, wishes) => {
      const answer = await create(wishes);
      expect(answer.status).toBe(400);
      expect(errorOf(answer)).toMatchObject({ error: expect.stringMatching(/^[A-Z_]+$/) });
    });

    it('refuses mail:send for an agent key at scope edit too', async () => {
      const { key } = keyOf(await create({ kind: 'agent' }));
      const edit = await place.settings.patch(`/keys/${key.id}`, { scopes: ['mail:send'] });
      expect(edit.status).toBe(400);
    });

    it('gives mail:send only where it is asked for', async () => {
      const { key } = keyOf(await create({ scopes: ['mail:send'] }));
      expect(key.scopes).toEqual(['mail:send']);
    });
  });

  describe('a change is in force on the very next request, every time:', () => {
    let key: OwnKey;

    beforeAll(async () => {
      key = await place.keyFor(mailbox);
    });

    it('a scope taken and given', async () => {
      for (let i = 0; i < times; i++) {
        await change(key, { scopes: ['write:conversations'] });
        expect(await list(key)).toBe(403);
        await change(key, { scopes: ['read:conversations'] });
        expect(await list(key)).toBe(200);
      }
    });

    it('a grant taken and given', async () => {
      for (let i = 0; i < times; i++) {
        await change(key, { mailboxes: [] });
        expect(await list(key)).toBe(403);
        await change(key, grant('read'));
        expect(await list(key)).toBe(200);
      }
    });

    it('a grant cut to reading', async () => {
      await change(key, { scopes: ['read:conversations', 'write:conversations'] });
      for (let i = 0; i < times; i++) {
        const path = '/v1/conversations/cnv_x/archive';
        await change(key, grant('read'));
        expect((await key.post(path, { mailbox })).status).toBe(403);
        await change(key, grant('write'));
        expect((await key.post(path, { mailbox })).status).toBe(404);
      }
    });

    it('an end of life', async () => {
      for (let i = 0; i < times; i++) {
        const short = await place.keyFor(mailbox);
        expect(await list(short)).toBe(200);
        expect((await place.settings.delete(`/keys/${short.id}`)).status).toBe(200);
        expect(await list(short)).toBe(401);
      }
    });
  });

  it('keep what a PATCH does not name', async () => {
    const { key } = keyOf(await create({ ...grant('write'), scopes: ['write:conversations'] }));
    const answer = recordOf(await place.settings.patch(`/keys/${key.id}`, { name: 'Renamed' }));
    expect(answer['key']).toMatchObject({
      name: 'Renamed',
      scopes: ['write:conversations'],
      mailboxes: [{ address: mailbox, access: 'write' }],
    });
  });

  it('stay in the list when revoked, and stay revoked', async () => {
    const { key, secret } = keyOf(await create(grant('read')));
    await place.settings.delete(`/keys/${key.id}`);
    const listed = itemsOf(await place.settings.get('/keys')).find(({ id }) => id === key.id);
    expect(listed).toMatchObject({ revokedAt: expect.any(String) });
    await place.settings.patch(`/keys/${key.id}`, { name: 'Back again', expiresAt: null });
    expect((await place.with(secret).get('/v1/conversations', { mailbox })).status).toBe(401);
  });

  it('are not found under an id that is none', async () => {
    const { key } = keyOf(await create({}));
    for (const id of [strangerOf(key.id), 'x', randomUUID()]) {
      expect((await place.settings.patch(`/keys/${id}`, { name: 'x' })).status).toBe(404);
      expect((await place.settings.delete(`/keys/${id}`)).status).toBe(404);
    }
  });
});
