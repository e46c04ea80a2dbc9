import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
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

    it('take back the members that they show, whoever has been removed since', async () => {
      const ids = await Promise.all(
        ['a', 'b'].map(async (name) => {
          const email = `${name}-${randomUUID()}@acme.test`;
          const made = await place.settings.post('/members', { email, name });
          return (recordOf(made)['member'] as { id: string }).id;
        }),
      );
      const given = { address: newAddress(), name: 'Support', access: ids };
      const { id } = mailboxOf(await place.settings.post('/mailboxes', given));
      await place.settings.delete(`/members/${ids[0]}`);
      const listed = itemsOf(await place.settings.get('/mailboxes')) as object[];
      const shown = listed.find((one) => 'id' in one && one.id === id) as { access: string[] };
      const written = await place.settings.patch(`/mailboxes/${id}`, { access: shown.access });
      expect(written.status).toBe(200);
      expect(recordOf(written)['mailbox']).toMatchObject({ access: [ids[1]] });
      const again = await place.settings.patch(`/mailboxes/${id}`, { access: ids });
      expect(again.status).toBe(400);
      const details = [{ field: 'access', message: expect.any(String) }];
      expect(errorOf(again).details).toEqual(details);
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

    it.each([
      { name: 'Support\nBcc: eve@example.test' },
      { name: 'Support\r' },
      { outgoing: { ...server, host: '127.0.0.1\r\nx' } },
      { outgoing: { ...server, user: 'ada\r\nMAIL FROM:<x@example.test>' } },
      { dkim: { selector: 's\r\nX-Evil: y', privateKey: 'a key' } },
    ])('have no line break where mail would show it: %j', async (given) => {
      const refused = await place.settings.post('/mailboxes', { address: newAddress(), ...given });
      expect(refused.status).toBe(400);
    });

    it('have an address that no other has, in any workspace and any case', async () => {
      const address = newAddress();
      await place.settings.post('/mailboxes', { address, name: 'First' });
      const globex = await Workplace.open('globex');
      const again = [
        await place.settings.post('/mailboxes', { address, name: 'Second' }),
        await place.settings.post('/mailboxes', { address: address.toUpperCase(), name: 'Third' }),
        await globex.settings.post('/mailboxes', { address, name: 'Fourth' }),
      ];
      expect(again.map(({ status }) => status)).toEqual([409, 409, 409]);
    });

    it('change what a PATCH names and keep the rest; the address never changes', async () => {
      const created = await place.settings.post('/mailboxes', {
        address: newAddress(),
        name: 'Support',
        outgoing: { ...server, password: 'x'.repeat(12) },
      });
      const { id, address } = mailboxOf(created);
      const changed = await place.settings.patch(`/mailboxes/${id}`, {
        name: 'Renamed',
        automation: false,
      });
      expect(recordOf(changed)['mailbox']).toMatchObject({
        address,
        name: 'Renamed',
        automation: false,
        outgoing: server,
      });
      const cleared = await place.settings.patch(`/mailboxes/${id}`, { outgoing: null });
      expect(recordOf(cleared)['mailbox']).toMatchObject({ name: 'Renamed', outgoing: null });
      const moved = await place.settings.patch(`/mailboxes/${id}`, { address: newAddress() });
      expect(moved.status).toBe(400);
    });

    it.each([
      [{ address: 'no address' }, 'address'],
      [{ address: 'a\u0000b@acme.test' }, 'address'],
      [{ name: 5 }, 'name'],
      [{ automation: 'on' }, 'automation'],
      [{ access: 'everybody' }, 'access'],
      [{ outgoing: 'smtp://x' }, 'outgoing'],
    ])('refuse %j and name the field', async (wrong, field) => {
      const body = { address: newAddress(), name: 'Support', ...wrong };
      const answer = await place.settings.post('/mailboxes', body);
      expect(answer.status).toBe(400);
      expect(errorOf(answer).details?.map((detail) => detail.field)).toContainEqual(
        expect.stringMatching(new RegExp(`^${field}`)),
      );
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

    it('have a name that no other of the workspace has, however it is written', async () => {
      const given = name();
      const first = teamOf(await place.settings.post('/teams', { name: given }));
      const again = await place.settings.post('/teams', { name: ` ${given.toUpperCase()}` });
      const other = teamOf(await place.settings.post('/teams', { name: name() }));
      const renamed = await place.settings.patch(`/teams/${other.id}`, { name: given });
      expect([again.status, renamed.status]).toEqual([409, 409]);
      const globex = await Workplace.open('globex');
      expect((await globex.settings.post('/teams', { name: given })).status).toBe(201);
      expect((await place.settings.patch(`/teams/${first.id}`, { name: given })).status).toBe(200);
    });

    it('lose a member who is removed', async () => {
      const email = newAddress();
      await place.settings.post('/members', { email, name: 'Leaving' });
      const id = await idOf(email);
      const team = teamOf(await place.settings.post('/teams', { name: name(), memberIds: [id] }));
      await place.settings.delete(`/members/${id}`);
      const listed = itemsOf(await place.settings.get('/teams')).find(
        (one) => one['id'] === team.id,
      );
      expect(listed).toMatchObject({ memberIds: [] });
      const again = await place.settings.patch(`/teams/${team.id}`, { memberIds: [id] });
      expect(again.status).toBe(400);
      expect(errorOf(again).details?.[0]?.field).toBe('memberIds.0');
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

  it.each(['/mailboxes', '/keys', '/members', '/teams'])('lists whole: %s', async (path) => {
    expect(recordOf(await place.settings.get(path))).toEqual({
      items: expect.arrayContaining([expect.objectContaining({ id: expect.any(String) })]),
      nextPageToken: null,
    });
  });

  it.each([
    ['/keys', ['name', 'kind', 'approval', 'scopes', 'mailboxes', 'member', 'admin', 'expiresAt']],
    ['/members', ['email', 'name', 'role', 'canApprove', 'password']],
    ['/teams', ['name', 'memberIds']],
    ['/mailboxes', ['address', 'name', 'automation', 'access', 'outgoing', 'imap', 'dkim']],
    ['/session', ['email', 'password']],
    ['/invitations/accept', ['token', 'password']],
  ])('takes any JSON values without an error of ours: POST %s', async (path, fields) => {
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }));
    const record = fc.record(Object.fromEntries(fields.map((name) => [name, value])), {
      requiredKeys: [],
    });
    await fc.assert(
      fc.asyncProperty(record, async (body) => {
        expect((await place.settings.post(path, body)).status).toBeLessThan(500);
      }),
      { numRuns: repetitions(60, 20) },
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
    const body = JSON.stringify({ open: true });

    it.each([
      'https://evil.example',
      'null',
      'http://127.0.0.1:1',
      'http://localhost.evil.example',
    ])('is refused when it writes: Origin %s', async (Origin) => {
      const answer = await place.settings.request('PUT', '/send-switch', body, { Origin });
      expect(answer.status).toBe(403);
      const signIn = JSON.stringify(place.tenant.member);
      const nobody = new SettingsApi(place.product);
      expect((await nobody.request('POST', '/session', signIn, { Origin })).status).toBe(403);
    });

    it('is answered when it comes from the product’s own pages, or names no origin', async () => {
      const { origin } = new URL(place.product.settingsUrl);
      const own = await place.settings.request('PUT', '/send-switch', body, { Origin: origin });
      expect(own.status).toBe(200);
      expect((await place.settings.request('PUT', '/send-switch', body)).status).toBe(200);
    });

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
