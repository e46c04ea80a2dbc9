import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { strangerOf } from './sameness.js';
import { keyOf, recordOf } from './wire.js';
import { Workplace } from './workplace.js';

describe('the keys of the settings', () => {
  let place: Workplace;
  let mailbox: string;

  const create = (wishes: object): Promise<Answer> =>
    place.settings.post('/keys', { name: 'Integration', kind: 'human', ...wishes });

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
  });

  describe('POST /keys', () => {
    it('shows the key with its secret, which works at once', async () => {
      const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
      const answer = await create({
        scopes: ['read:conversations', 'write:conversations'],
        mailboxes: [{ address: mailbox, access: 'write' }],
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

  it('are not found under an id that is none', async () => {
    const { key } = keyOf(await create({}));
    for (const id of [strangerOf(key.id), 'x', randomUUID()]) {
      expect((await place.settings.patch(`/keys/${id}`, { name: 'x' })).status).toBe(404);
      expect((await place.settings.delete(`/keys/${id}`)).status).toBe(404);
    }
  });
});
