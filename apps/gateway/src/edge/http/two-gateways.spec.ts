import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Gateway, idOfKey, type SomeWorkspace } from '../../testing/gateway.js';
import type { Answer } from '../../testing/http.js';

const limit = 120;
const path = '/v1/conversations?mailbox=support@acme.test';

describe('the limit of a key over two gateways', () => {
  let one: Gateway;
  let other: Gateway;
  let workspace: SomeWorkspace;
  let key: string;

  beforeAll(async () => {
    const env = { RATE_LIMIT_PER_MINUTE: String(limit) };
    one = await Gateway.start(env);
    other = await one.beside(env);
    workspace = await one.workspace();
  });
  afterAll(async () => {
    await other.close();
    await one.close();
  });
  beforeEach(async () => {
    key = await one.key(workspace, { grants: { 'support@acme.test': 'read' } });
  });

  const remainingIn = ({ headers }: Answer): number => Number(headers['x-ratelimit-remaining']);

  /** Asks until it is refused; answers how often it was not. */
  const exhaust = async (gateway: Gateway): Promise<number> => {
    for (let served = 0; ; served++)
      if ((await gateway.ask(key, path)).status === 429) return served;
  };

  /** Waits until gateways have told so many requests of the key. */
  const isTold = async (requests: number): Promise<void> => {
    const name = `${idOfKey(key)} default`;
    const told = 'SELECT sum((counts->>$1)::integer)::integer AS sum FROM told_requests';
    for (;;) {
      const [row] = await one.rows<{ sum: number | null }>(told, [name]);
      if (row?.sum === requests) return;
      await sleep(20);
    }
  };

  /** Asks, at leisure, until a gateway has heard of the other; answers how often. */
  const hears = async (gateway: Gateway, above: number): Promise<number> => {
    for (let asked = 1; ; asked++) {
      if (remainingIn(await gateway.ask(key, path)) + asked < limit - above) return asked;
      await sleep(100);
    }
  };

  it('is one limit, but for what nobody has told yet', async () => {
    for (let n = 0; n < 70; n++) expect((await one.ask(key, path)).status).toBe(200);
    await isTold(70);
    const asked = await hears(other, 60);
    expect(asked + (await exhaust(other))).toBe(limit - 70);
    await isTold(limit);
    let beyond = 0;
    while ((await one.ask(key, path)).status === 200) {
      beyond += 1;
      await sleep(100);
    }
    expect(beyond).toBeLessThan(limit / 4);
    const { headers } = await one.ask(key, path);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('is that of one gateway where the other one is asked nothing', async () => {
    expect(await exhaust(one)).toBe(limit);
    await isTold(limit);
    expect((await one.ask(key, path)).status).toBe(429);
  });

  it('leaves other keys alone', async () => {
    await exhaust(one);
    await isTold(limit);
    key = await one.key(workspace, { grants: { 'support@acme.test': 'read' } });
    expect(remainingIn(await other.ask(key, path))).toBe(limit - 1);
    // It may have heard of the other's.
    expect(await exhaust(one)).toBeGreaterThanOrEqual(limit - 1);
  });

  it('holds for the settings of a member too', async () => {
    const { admin } = workspace;
    const sessions = async (gateway: Gateway): Promise<number> =>
      remainingIn(await gateway.settings(admin, 'GET', '/session'));
    const first = await sessions(one);
    for (let n = 0; n < 20; n++) await sessions(one);
    for (let asked = 1; (await sessions(other)) + asked > first - 20; asked++) await sleep(100);
  });

  it('counts what was told within the minute, and forgets the rest', async () => {
    const counts = (requests: number) => JSON.stringify({ [`${idOfKey(key)} default`]: requests });
    await one.rows(
      `INSERT INTO told_requests (instance, number, counts, told_at) VALUES
         ('gone', 1, $1, now() - interval '61 s'), ('gone', 2, $2, now() - interval '20 s')`,
      [counts(limit), counts(30)],
    );
    const asked = await hears(other, 29);
    expect(asked + (await exhaust(other))).toBe(limit - 30);
    await one.rows('SELECT purge_request_counts()');
    const left = `SELECT number FROM told_requests WHERE instance = 'gone'`;
    expect(await one.rows(left)).toEqual([{ number: 2 }]);
  });
});
