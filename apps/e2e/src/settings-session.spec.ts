import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { repetitions } from '@postroom/testing/repetitions';
import type { Answer } from './http.js';
import type { Person } from './product.js';
import { cookieOf, SettingsApi } from './settings-api.js';
import { type Member, memberOf, recordOf, resetUrlOf } from './wire.js';
import { Workplace } from './workplace.js';

const tokenIn = (url: string): string => new URL(url).searchParams.get('token') ?? '';

/** The number of changes that have to be in force at once. */
const times = repetitions(100, 10);

describe('the settings', () => {
  let place: Workplace;
  let nobody: SettingsApi;

  const newPerson = (): Person => ({
    email: `person-${randomUUID()}@acme.test`,
    password: `Correct horse ${randomUUID()}`,
  });
  const add = async (person: Person, more: object = {}): Promise<Member> => {
    const body = { ...person, name: 'Robin', role: 'member', canApprove: false, ...more };
    return memberOf(await place.settings.post('/members', body)).member;
  };
  const signIn = (person: Person): Promise<Answer> => nobody.post('/session', { ...person });

  beforeAll(async () => {
    place = await Workplace.open('acme');
    nobody = new SettingsApi(place.product);
  });

  describe('POST /session', () => {
    it('answers the member and the workspace', async () => {
      const answer = await signIn(place.tenant.member);
      expect(answer.status).toBe(200);
      expect(recordOf(answer)).toMatchObject({
        member: {
          id: expect.any(String),
          email: place.tenant.member.email,
          name: expect.any(String),
          role: 'member',
          canApprove: true,
          active: true,
        },
        tenant: { id: place.tenant.id, name: 'acme' },
      });
      expect(answer.text).not.toMatch(/password|argon/i);
    });

    it('sets a cookie that scripts cannot read and other sites do not send', async () => {
      const set = (await signIn(place.tenant.member)).headers['set-cookie'] ?? [];
      expect(set).toHaveLength(1);
      const attributes = (set[0] ?? '').split(/; */).slice(1);
      expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/']));
      // It was set over plain HTTP, where a browser would drop a secure cookie.
      expect(attributes).not.toContain('Secure');
      expect(cookieOf({ status: 200, text: '', headers: { 'set-cookie': set } })).toMatch(
        /^[^=]+=.{20,}$/,
      );
    });

    it.each([{}, { email: 'a@b.test' }, { email: 1, password: [] }, { email: 'x', password: '' }])(
      'refuses a form that is not filled: %j',
      async (body) => {
        expect((await nobody.post('/session', body)).status).toBe(400);
      },
    );
  });

  describe('GET /session', () => {
    it('answers who is signed in', async () => {
      expect(recordOf(await place.settings.get('/session'))).toMatchObject({
        member: { email: place.tenant.admin.email, role: 'admin' },
        tenant: { name: 'acme' },
      });
    });
  });

  describe('DELETE /session', () => {
    it('ends the session, for good', async () => {
      const session = await SettingsApi.signIn(place.product, place.tenant.member);
      expect((await session.get('/session')).status).toBe(200);
      expect((await session.delete('/session')).status).toBe(200);
      expect((await session.get('/session')).status).toBe(401);
    });
  });

  describe('POST /members', () => {
    it('adds one who can sign in with the password given', async () => {
      const person = newPerson();
      const answer = await place.settings.post('/members', {
        ...person,
        name: 'Robin',
        role: 'member',
        canApprove: true,
      });
      expect(answer.status).toBe(201);
      expect(recordOf(answer)['invitationUrl']).toBeUndefined();
      expect(recordOf(answer)['member']).toMatchObject({
        id: expect.any(String),
        email: person.email,
        name: 'Robin',
        role: 'member',
        canApprove: true,
        active: true,
      });
      expect(answer.text).not.toContain(person.password);
      expect((await signIn(person)).status).toBe(200);
    });

    it('without a password invites; the link works once', async () => {
      const person = newPerson();
      const { email } = person;
      const invited = await place.settings.post('/members', {
        email,
        name: 'Robin',
        role: 'member',
        canApprove: false,
      });
      expect(invited.status).toBe(201);
      const token = tokenIn(memberOf(invited).invitationUrl ?? '');
      expect(token.length).toBeGreaterThan(20);
      expect((await signIn(person)).status).toBe(401);

      const accept = (): Promise<Answer> =>
        nobody.post('/invitations/accept', { token, password: person.password });
      expect((await accept()).status).toBe(200);
      expect((await signIn(person)).status).toBe(200);
      expect((await accept()).status).toBe(404);
    });
  });

  describe('POST /invitations/accept', () => {
    it.each(['x', 'A'.repeat(43), '\u00e9'.repeat(20)])(
      'refuses a token that is none: %s',
      async (token) => {
        const password = newPerson().password;
        const answer = await nobody.post('/invitations/accept', { token, password });
        expect(answer.status).toBe(404);
      },
    );
  });

  describe('POST /members/{id}/reset-link', () => {
    it('gives a link to another password, which ends every session', async () => {
      const person = newPerson();
      const { id } = await add(person);
      const sessions = [
        await SettingsApi.signIn(place.product, person),
        await SettingsApi.signIn(place.product, person),
      ];
      const token = tokenIn(resetUrlOf(await place.settings.post(`/members/${id}/reset-link`, {})));
      const password = newPerson().password;
      expect((await nobody.post('/invitations/accept', { token, password })).status).toBe(200);
      for (const session of sessions) expect((await session.get('/session')).status).toBe(401);
      expect((await signIn(person)).status).toBe(401);
      expect((await signIn({ ...person, password })).status).toBe(200);
    });
  });

  describe('PATCH and DELETE /members/{id}', () => {
    it('take a removed member’s session at once', async () => {
      const person = newPerson();
      const { id } = await add(person);
      const session = await SettingsApi.signIn(place.product, person);
      expect((await place.settings.delete(`/members/${id}`)).status).toBe(200);
      expect((await session.get('/session')).status).toBe(401);
      expect((await signIn(person)).status).toBe(401);
    });

    it('are in force on the very next request: a deactivation', async () => {
      const person = newPerson();
      const { id } = await add(person);
      for (let i = 0; i < times; i++) {
        const session = await SettingsApi.signIn(place.product, person);
        expect((await session.get('/session')).status).toBe(200);
        await place.settings.patch(`/members/${id}`, { active: false });
        expect((await session.get('/session')).status).toBe(401);
        await place.settings.patch(`/members/${id}`, { active: true });
      }
    });
  });
});
