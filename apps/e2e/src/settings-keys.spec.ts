import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { repetitions } from '@postroom/testing/repetitions';
import type { Answer } from './http.js';
import { strangerOf } from './sameness.js';
import { keyOf, recordOf } from './wire.js';
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

  it('are not found under an id that is none', async () => {
    const { key } = keyOf(await create({}));
    for (const id of [strangerOf(key.id), 'x', randomUUID()]) {
      expect((await place.settings.patch(`/keys/${id}`, { name: 'x' })).status).toBe(404);
      expect((await place.settings.delete(`/keys/${id}`)).status).toBe(404);
    }
  });
});
