import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@postroom/persistence';
import { connectAccess } from '../entities.js';
import { Gateway } from '../../testing/gateway.js';
import { bodyOf } from '../../testing/http.js';
import { Authorizations } from './authorizations.js';
import { SignInAttempts } from './sign-in-attempts.js';

const fail = (): Promise<null> => Promise.resolve(null);
const succeed = (): Promise<string> => Promise.resolve('found');

/** An attempt at the member, or members, with an address. */
const of = (email: string, clientAddress: string, memberIds = [`mbr_${email}`]) => ({
  ...{ email, clientAddress, memberIds },
});

describe('attempts to sign in', () => {
  let gateway: Gateway;
  /** One connection for each of two instances. */
  let databases: Database[];
  let here: SignInAttempts;
  let there: SignInAttempts;

  beforeAll(async () => {
    gateway = await Gateway.start();
    const { access } = gateway.database.urls;
    databases = await Promise.all([connectAccess(access), connectAccess(access)]);
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await gateway.close();
  });
  beforeEach(async () => {
    await gateway.rows('DELETE FROM sign_in_attempts');
    await gateway.rows('DELETE FROM known_networks');
    [here, there] = databases.map(
      (database) => new SignInAttempts(new Authorizations(database)),
    ) as [SignInAttempts, SignInAttempts];
  });

  const failTimes = async (times: number, email = 'a@b.test', from = '1.1.1.1') => {
    for (let i = 0; i < times; i++) {
      expect(await (i % 2 ? here : there).limited(of(email, from), fail)).toBeNull();
    }
  };
  const refused = { code: 'RATE_LIMITED' };
  const secondsSince = (ms: number): number => (performance.now() - ms) / 1000;

  it('fail ten times a minute into one account from one network, at whichever instance', async () => {
    await failTimes(10);
    for (const attempts of [here, there]) {
      await expect(attempts.limited(of('a@b.test', '1.1.1.1'), succeed)).rejects.toMatchObject(
        refused,
      );
    }
    expect(await here.limited(of('other@b.test', '1.1.1.1'), succeed)).toBe('found');
    expect(await here.limited(of('a@b.test', '2.2.2.2'), succeed)).toBe('found');
  });

  it('of resets are sixty a minute from one site, however many its networks', async () => {
    const ask = (n: number, site = 'a') =>
      (n % 2 ? here : there).countReset(`${n}@b.test`, `2001:db8:${site}:${n}::1`);
    for (let n = 0; n < 60; n++) await ask(n);
    await expect(ask(60)).rejects.toMatchObject(refused);
    await expect(ask(60, 'b')).resolves.toBeUndefined();
  });

  it('fail thirty times a minute into one account, from wherever', async () => {
    for (let i = 0; i < 30; i++) await failTimes(1, 'a@b.test', `1.1.1.${i}`);
    for (const attempts of [here, there]) {
      await expect(attempts.limited(of('a@b.test', '2.2.2.2'), succeed)).rejects.toMatchObject(
        refused,
      );
    }
    expect(await here.limited(of('other@b.test', '2.2.2.2'), succeed)).toBe('found');
  });

  it('of strangers keep no member out who signs in from where they have before', async () => {
    await here.remember('mbr_a@b.test', '9.9.9.9');
    for (let i = 0; i < 30; i++) await failTimes(1, 'a@b.test', `1.1.1.${i}`);
    expect(await there.limited(of('a@b.test', '9.9.9.9'), succeed)).toBe('found');
    await failTimes(10, 'a@b.test', '9.9.9.9');
    const guessing = there.limited(of('a@b.test', '9.9.9.9'), succeed);
    await expect(guessing).rejects.toMatchObject(refused);
  });

  it('of a stranger count, though the address has a member of the stranger’s own at that network', async () => {
    const [own, victim] = ['mbr_own', 'mbr_a@b.test'];
    await here.remember(own, '6.6.6.6');
    for (let i = 0; i < 30; i++) await failTimes(1, 'a@b.test', `1.1.1.${i}`);
    const tried: (readonly string[])[] = [];
    const check = (ids: readonly string[]) => {
      tried.push(ids);
      return Promise.resolve(ids.includes(victim) ? 'found' : null);
    };
    const guessing = here.limited(of('a@b.test', '6.6.6.6', [own, victim]), check);
    await expect(guessing).rejects.toMatchObject(refused);
    expect(tried).toEqual([[own]]);
    // The member at home is found at once, whoever else has the address.
    await here.remember(victim, '9.9.9.9');
    expect(await there.limited(of('a@b.test', '9.9.9.9', [own, victim]), check)).toBe('found');
  });

  it('remember a network for thirty days', async () => {
    await here.remember('mbr_a@b.test', '9.9.9.9');
    expect(await gateway.rows('SELECT purge_known_networks()::int AS purged')).toEqual([
      { purged: 0 },
    ]);
    await gateway.rows(`UPDATE known_networks SET expires_at = expires_at - interval '30 days'`);
    for (let i = 0; i < 30; i++) await failTimes(1, 'a@b.test', `1.1.1.${i}`);
    const asked = here.limited(of('a@b.test', '9.9.9.9'), succeed);
    await expect(asked).rejects.toMatchObject(refused);
    expect(await gateway.rows('SELECT purge_known_networks()::int AS purged')).toEqual([
      { purged: 1 },
    ]);
  });

  it('fail fifty times a minute from one address, whatever the account', async () => {
    for (let i = 0; i < 50; i++) await failTimes(1, `${i}@b.test`);
    await expect(there.limited(of('new@b.test', '1.1.1.1'), succeed)).rejects.toMatchObject(
      refused,
    );
    expect(await there.limited(of('new@b.test', '2.2.2.2'), succeed)).toBe('found');
  });

  it('count one client’s IPv6 addresses as one', async () => {
    for (let i = 0; i < 50; i++) await failTimes(1, `${i}@b.test`, `2001:db8::${i.toString(16)}`);
    const other = here.limited(of('new@b.test', '2001:db8::ffff:1'), succeed);
    await expect(other).rejects.toMatchObject(refused);
    expect(await here.limited(of('new@b.test', '2001:db8:0:1::1'), succeed)).toBe('found');
  });

  it('succeed as often as they like', async () => {
    for (let i = 0; i < 60; i++) await here.limited(of('a@b.test', '1.1.1.1'), succeed);
    await failTimes(10);
  });

  it('count while they are under way, so that many at once are no way around', async () => {
    let checks = 0;
    const check = (): Promise<null> => {
      checks++;
      return fail();
    };
    const all = Array.from({ length: 40 }, (_, i) =>
      (i % 2 ? here : there).limited(of('a@b.test', '1.1.1.1'), check),
    );
    const outcomes = await Promise.allSettled(all);
    expect(checks).toBe(10);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(30);
  });

  it('do not count when they could not be judged', async () => {
    const breakDown = (): Promise<null> => Promise.reject(new Error('no database'));
    for (let i = 0; i < 20; i++) {
      await expect(here.limited(of('a@b.test', '1.1.1.1'), breakDown)).rejects.toThrow(
        'no database',
      );
    }
    await failTimes(10);
  });

  it('have room again a minute after each', async () => {
    const later = (seconds: number): Promise<object[]> =>
      gateway.rows(
        `UPDATE sign_in_attempts SET expires_at = expires_at - make_interval(secs => $1),
         times = ARRAY(SELECT t - make_interval(secs => $1) FROM unnest(times) t)`,
        [seconds],
      );
    const begunMs = performance.now();
    await failTimes(5);
    await later(30);
    await failTimes(5);
    const refusal = await here.limited(of('a@b.test', '1.1.1.1'), succeed).catch((e: unknown) => e);
    const seconds = Number((refusal as { headers: Record<string, string> }).headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(Math.floor(30 - secondsSince(begunMs)));
    expect(seconds).toBeLessThanOrEqual(30);
    await later(30);
    await failTimes(5);
    await expect(here.limited(of('a@b.test', '1.1.1.1'), succeed)).rejects.toMatchObject(refused);
  });

  it('are kept without a name or an address, and deleted by a maintenance job', async () => {
    await failTimes(1, 'somebody@b.test', '9.8.7.6');
    const kept = await gateway.rows('SELECT * FROM sign_in_attempts');
    expect(kept).toHaveLength(3);
    expect(JSON.stringify(kept)).not.toMatch(/somebody|9\.8\.7\.6/);
    const purge = 'SELECT purge_sign_in_attempts()::int AS purged';
    expect(await gateway.rows(purge)).toEqual([{ purged: 0 }]);
    await gateway.rows(`UPDATE sign_in_attempts SET expires_at = now() - interval '1 second'`);
    expect(await gateway.rows(purge)).toEqual([{ purged: 3 }]);
    expect(await gateway.rows('SELECT * FROM sign_in_attempts')).toEqual([]);
  });

  describe('over HTTP', () => {
    const signIn = (email: string, headers: Record<string, string> = {}) =>
      gateway.send('/settings/api/session', {
        method: 'POST',
        headers,
        body: { email, password: 'a wrong horse' },
      });

    it('are refused alike for an account that is there and one that is not', async () => {
      const { admin } = await gateway.workspace();
      for (const email of [admin.email, 'nobody@acme.test']) {
        await gateway.rows('DELETE FROM sign_in_attempts');
        const begunMs = performance.now();
        for (let i = 0; i < 10; i++) expect((await signIn(email)).status).toBe(401);
        const answer = await signIn(email);
        expect(answer.status).toBe(429);
        expect(bodyOf(answer).error).toBe('RATE_LIMITED');
        // Ten refusals take their time.
        expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(
          Math.floor(60 - secondsSince(begunMs)),
        );
      }
    });

    it('count by the client’s own address behind a proxy that is trusted, and no other', async () => {
      /** The number of addresses for which failed attempts into one account are counted. */
      const addressesOf = async (...forwarded: string[]): Promise<number> => {
        await gateway.rows('DELETE FROM sign_in_attempts');
        for (const address of forwarded) {
          await signIn('somebody@acme.test', { 'x-forwarded-for': address });
        }
        // One for the account, two for each network.
        return ((await gateway.rows('SELECT FROM sign_in_attempts')).length - 1) / 2;
      };
      // No proxy is trusted: every request counts for the connecting address.
      expect(await addressesOf('192.0.2.1', '192.0.2.2')).toBe(1);
      await gateway.restart({ TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1/32' });
      expect(await addressesOf('192.0.2.1', '192.0.2.2')).toBe(2);
      // Addresses that a client claims for itself stand to the left of the one that the proxy saw.
      expect(await addressesOf('192.0.2.1', '203.0.113.9, 192.0.2.1')).toBe(1);
      await gateway.restart({ TRUSTED_PROXIES: '10.0.0.0/8' });
      expect(await addressesOf('192.0.2.1', '192.0.2.2')).toBe(1);
      await gateway.restart();
    });
  });
});
