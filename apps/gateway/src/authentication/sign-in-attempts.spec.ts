import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Gateway } from '../testing/gateway.js';
import { bodyOf } from '../testing/http.js';
import { SignInAttempts } from './sign-in-attempts.js';

const fail = (): Promise<null> => Promise.resolve(null);
const succeed = (): Promise<string> => Promise.resolve('found');

describe('attempts to sign in', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const failTimes = async (
    attempts: SignInAttempts,
    times: number,
    email = 'a@b.test',
    from = '1.1.1.1',
  ) => {
    for (let i = 0; i < times; i++) expect(await attempts.limited(email, from, fail)).toBeNull();
  };
  const refused = { code: 'RATE_LIMITED' };

  it('fail ten times a minute into one account, wherever they come from', async () => {
    const attempts = new SignInAttempts();
    for (let i = 0; i < 10; i++) await failTimes(attempts, 1, 'a@b.test', `1.1.1.${i}`);
    await expect(attempts.limited('a@b.test', '2.2.2.2', succeed)).rejects.toMatchObject(refused);
    expect(await attempts.limited('other@b.test', '1.1.1.1', succeed)).toBe('found');
  });

  it('fail fifty times a minute from one address, whatever the account', async () => {
    const attempts = new SignInAttempts();
    for (let i = 0; i < 50; i++) await failTimes(attempts, 1, `${i}@b.test`);
    await expect(attempts.limited('new@b.test', '1.1.1.1', succeed)).rejects.toMatchObject(refused);
    expect(await attempts.limited('new@b.test', '2.2.2.2', succeed)).toBe('found');
  });

  it('succeed as often as they like', async () => {
    const attempts = new SignInAttempts();
    for (let i = 0; i < 200; i++) await attempts.limited('a@b.test', '1.1.1.1', succeed);
    await failTimes(attempts, 10);
  });

  it('count while they are under way, so that many at once are no way around', async () => {
    const attempts = new SignInAttempts();
    let checks = 0;
    const check = (): Promise<null> => {
      checks++;
      return fail();
    };
    const all = Array.from({ length: 30 }, () => attempts.limited('a@b.test', '1.1.1.1', check));
    const outcomes = await Promise.allSettled(all);
    expect(checks).toBe(10);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20);
  });

  it('do not count when they could not be judged', async () => {
    const attempts = new SignInAttempts();
    const breakDown = (): Promise<null> => Promise.reject(new Error('no database'));
    for (let i = 0; i < 20; i++) {
      await expect(attempts.limited('a@b.test', '1.1.1.1', breakDown)).rejects.toThrow(
        'no database',
      );
    }
    await failTimes(attempts, 10);
  });

  it('have room again a minute after each', async () => {
    const attempts = new SignInAttempts();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    await failTimes(attempts, 5);
    clock.mockReturnValue(30_000);
    await failTimes(attempts, 5);
    await expect(attempts.limited('a@b.test', '1.1.1.1', succeed)).rejects.toMatchObject({
      headers: { 'retry-after': '30' },
    });
    clock.mockReturnValue(60_000);
    await failTimes(attempts, 5);
    await expect(attempts.limited('a@b.test', '1.1.1.1', succeed)).rejects.toMatchObject(refused);
  });

  describe('over HTTP', () => {
    let gateway: Gateway;

    beforeAll(async () => {
      gateway = await Gateway.start();
    });
    afterAll(() => gateway.close());

    it('are refused alike for an account that is there and one that is not', async () => {
      const { admin } = await gateway.workspace();
      for (const email of [admin.email, 'nobody@acme.test']) {
        const body = { email, password: 'a wrong horse' };
        const post = () => gateway.send('/settings/api/session', { method: 'POST', body });
        for (let i = 0; i < 10; i++) expect((await post()).status).toBe(401);
        const answer = await post();
        expect(answer.status).toBe(429);
        expect(bodyOf(answer).error).toBe('RATE_LIMITED');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(50);
      }
    });
  });
});
