import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { SettingsApi } from './settings-api.js';
import { errorOf, itemsOf, mailboxOf, recordOf, teamOf, versionedOf } from './wire.js';
import { Workplace } from './workplace.js';

describe('the settings of the workspace', () => {
  let place: Workplace;
  let member: SettingsApi;

  const newAddress = (): string => `box-${randomUUID()}@acme.test`;
  const server = { host: 'mail.acme.test', port: 465, secure: true, user: 'acme' };

  beforeAll(async () => {
    place = await Workplace.open('acme');
    member = await SettingsApi.signIn(place.product, place.tenant.member);
  });

  describe('mailboxes', () => {
    it('are made with an address and a name, shared with the workspace', async () => {
      const address = newAddress();
      const answer = await place.settings.post('/mailboxes', { address, name: 'Support' });
      expect(answer.status).toBe(201);
      expect(recordOf(answer)['mailbox']).toMatchObject({
        id: expect.any(String),
        address,
        name: 'Support',
        automation: true,
        access: 'workspace',
        outgoing: null,
        imap: null,
        dkim: null,
      });
      const listed = itemsOf(await place.settings.get('/mailboxes'));
      expect(listed).toContainEqual(recordOf(answer)['mailbox']);
    });

    it('receive mail at once', async () => {
      const address = newAddress();
      await place.settings.post('/mailboxes', { address, name: 'Support' });
      const key = await place.keyFor(address);
      expect(await place.receive(key, address)).toMatchObject({ mailbox: address });
    });

    it('never show the secrets that were written', async () => {
      const secrets = { password: `hunter-${randomUUID()}`, privateKey: `pem-${randomUUID()}` };
      const created = await place.settings.post('/mailboxes', {
        address: newAddress(),
        name: 'Support',
        outgoing: { ...server, password: secrets.password },
        imap: { ...server, port: 993, password: secrets.password },
        dkim: { selector: 'mail', privateKey: secrets.privateKey },
      });
      expect(created.status).toBe(201);
      expect(recordOf(created)['mailbox']).toMatchObject({
        outgoing: server,
        imap: { ...server, port: 993 },
        dkim: { selector: 'mail' },
      });
      const { id } = mailboxOf(created);
      const changed = await place.settings.patch(`/mailboxes/${id}`, { name: 'Renamed' });
      const listed = await place.settings.get('/mailboxes');
      for (const answer of [created, changed, listed]) {
        for (const secret of Object.values(secrets)) expect(answer.text).not.toContain(secret);
      }
    });
  });

  describe('teams', () => {
    const name = (): string => `Team ${randomUUID()}`;
    const idOf = async (email: string): Promise<string> =>
      String(
        itemsOf(await place.settings.get('/members')).find((one) => one['email'] === email)?.['id'],
      );

    it('are made of active members, changed and removed', async () => {
      const memberIds = [
        await idOf(place.tenant.member.email),
        await idOf(place.tenant.admin.email),
      ];
      const given = { name: name(), memberIds };
      const made = await place.settings.post('/teams', given);
      expect(made.status).toBe(201);
      const team = teamOf(made);
      expect(team).toMatchObject({ id: expect.stringMatching(/^tea_/), ...given });
      expect(itemsOf(await place.settings.get('/teams'))).toContainEqual(team);
      const changed = await place.settings.patch(`/teams/${team.id}`, {
        memberIds: [memberIds[1]],
      });
      expect(teamOf(changed)).toMatchObject({ name: given.name, memberIds: [memberIds[1]] });
      expect((await place.settings.delete(`/teams/${team.id}`)).status).toBe(200);
      expect((await place.settings.delete(`/teams/${team.id}`)).status).toBe(404);
    });
  });

  describe('the send switch', () => {
    it('is open, can be closed, and opened again', async () => {
      expect(recordOf(await place.settings.get('/send-switch'))).toEqual({ open: true });
      for (const open of [false, true]) {
        expect(recordOf(await place.settings.put('/send-switch', { open }))).toEqual({ open });
        expect(recordOf(await place.settings.get('/send-switch'))).toEqual({ open });
      }
    });

    it.each([{}, { open: 'yes' }, { open: null }, { open: true, more: 1 }])(
      'refuses %j',
      async (body) => {
        expect((await place.settings.put('/send-switch', body)).status).toBe(400);
      },
    );
  });

  describe('a record', () => {
    const patch = (path: string, version: string): Promise<Answer> => {
      const body = JSON.stringify({ name: `Renamed ${randomUUID()}` });
      return place.settings.request('PATCH', path, body, { 'If-Match': version });
    };

    it.each(['/mailboxes', '/keys', '/members', '/teams'])(
      'is changed under the version that was read, and under no other: %s',
      async (list) => {
        const wishes = {
          '/mailboxes': { address: newAddress(), name: 'Support' },
          '/keys': { name: 'Integration', kind: 'human' },
          '/members': { email: newAddress(), name: 'Robin', role: 'member', canApprove: false },
          '/teams': { name: randomUUID() },
        };
        const body = Object.entries(wishes).find(([path]) => path === list)?.[1];
        const [made] = Object.values(recordOf(await place.settings.post(list, body)));
        const { id, version } = versionedOf(made);
        const path = `${list}/${id}`;
        expect((await patch(path, String(version))).status).toBe(200);
        expect((await patch(path, String(version))).status).toBe(409);
        expect((await patch(path, 'nonsense')).status).toBe(400);
        const stale = { 'If-Match': String(version) };
        if (list !== '/mailboxes') {
          const gone = await place.settings.request('DELETE', path, undefined, stale);
          expect(gone.status).toBe(409);
        }
      },
    );
  });

  describe('for one who is no administrator', () => {
    const body = {};

    it.each([
      ['GET', '/members'],
      ['POST', '/members'],
      ['PATCH', '/members/mbr_x'],
      ['DELETE', '/members/mbr_x'],
      ['POST', '/members/mbr_x/reset-link'],
      ['GET', '/mailboxes'],
      ['POST', '/mailboxes'],
      ['PATCH', '/mailboxes/mbx_x'],
      ['GET', '/keys'],
      ['POST', '/keys'],
      ['PATCH', '/keys/key_x'],
      ['DELETE', '/keys/key_x'],
      ['GET', '/teams'],
      ['POST', '/teams'],
      ['PATCH', '/teams/tea_x'],
      ['DELETE', '/teams/tea_x'],
      ['GET', '/send-switch'],
      ['PUT', '/send-switch'],
    ])('%s %s is refused, and without a session too', async (method, path) => {
      const text = method === 'GET' || method === 'DELETE' ? undefined : JSON.stringify(body);
      expect((await member.request(method, path, text)).status).toBe(403);
      const nobody = new SettingsApi(place.product);
      expect((await nobody.request(method, path, text)).status).toBe(401);
    });
  });

  describe('a request from elsewhere', () => {
    it('is given no leave to read', async () => {
      const answer = await place.settings.get('/session', { Origin: 'https://evil.example' });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    });
  });

  describe('a refusal', () => {
    it.each([
      ['an unknown path', 404, 'GET', '/nothing', undefined],
      ['an unknown id', 404, 'PATCH', '/keys/key_x', '{"name":"x"}'],
      ['no JSON', 400, 'POST', '/keys', '{'],
      ['no object', 400, 'POST', '/members', '[]'],
      ['no body', 400, 'POST', '/mailboxes', ''],
      ['an unknown field', 400, 'PUT', '/send-switch', '{"open":true,"x":1}'],
      ['deep nesting', 400, 'POST', '/keys', '['.repeat(100_000)],
      ['too large a body', 413, 'POST', '/keys', 'x'.repeat(1024 * 1024 + 1)],
      ['a path that is no text', 404, 'PATCH', '/keys/%zz', '{"name":"x"}'],
    ])(
      'has a code, an English message and the request id: %s',
      async (_what, status, method, path, text) => {
        const answer = await place.settings.request(method, path, text);
        const body = errorOf(answer);
        expect(answer.status).toBe(status);
        expect(body).toMatchObject({
          error: expect.stringMatching(/^[A-Z][A-Z_]+$/),
          message: expect.any(String),
          requestId: answer.headers['x-request-id'],
        });
        expect(answer.text).not.toMatch(/\.js|node_modules|JSON at|FST_/);
      },
    );
  });
});
