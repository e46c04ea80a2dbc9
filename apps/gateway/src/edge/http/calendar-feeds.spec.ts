import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { until } from '@postroom/testing/until';
import { limits } from '../../limits.js';
import { Gateway } from '../../testing/gateway.js';
import { alike, type Answer } from '../../testing/http.js';

const mebi = 1024 * 1024;
const [network, another] = ['192.0.2.1', '198.51.100.1'];

/** An address as a feed's, of a workspace. */
const aFeed = (tenantId = newId('ten')) =>
  `/feeds/${tenantId}.${randomBytes(32).toString('base64url')}.ics`;

const secretOf = (path: string): string => path.split('.')[1] ?? '';

describe('the feed of a calendar', () => {
  let gateway: Gateway;
  /** The answers of scheduling for the feeds that exist. */
  const feeds = new Map<string, { lines: string; after: string | null }>();
  /** Holds look-ups of feeds that do not exist. */
  let missesHeld: Promise<void> | null = null;
  const open: Socket[] = [];

  beforeAll(async () => {
    gateway = await Gateway.start({ TRUSTED_PROXIES: '127.0.0.1' });
  });
  beforeEach(async () => {
    missesHeld = null;
    await gateway.restart();
    gateway.scheduling.answer = async ({ input }) => {
      const found = feeds.get(String(input['secret']));
      if (found) return { body: { ...found, ownerId: null, mediaType: 'text/calendar' } };
      await missesHeld;
      return { status: 404, problem: 'CALENDAR_NOT_FOUND' };
    };
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });
  afterAll(() => gateway.close());

  const read = (path: string, from = network): Promise<Answer> =>
    gateway.send(path, { headers: { 'x-forwarded-for': from } });

  function known(part: { lines: string; after: string | null }, tenantId = newId('ten')): string {
    const path = aFeed(tenantId);
    feeds.set(secretOf(path), part);
    return path;
  }
  const small = { lines: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n', after: null };

  it('is read without a key, and an address of none is like any unknown one', async () => {
    expect(await read(known(small))).toMatchObject({ status: 200, text: small.lines });
    expect(alike(await read(aFeed()))).toEqual(alike(await read('/feeds/x.ics')));
  });

  it('is read while another network asks for many that are not there', async () => {
    const held = Promise.withResolvers<void>();
    missesHeld = held.promise;
    const feed = known(small);
    const { tally } = limits.feedLookups;
    const waitingBefore = tally.waiting;
    let over = 0;
    const misses = Array.from({ length: 50 }, () => read(aFeed()).finally(() => (over += 1)));
    // All places are taken once those are refused that may not wait.
    while (over < 20) await sleep(5);
    const reading = read(feed, another);
    // Twenty of the one network, and the other one's.
    await until(() => tally.waiting === waitingBefore + 21);
    held.resolve();
    expect((await reading).status).toBe(200);
    const statuses = (await Promise.all(misses)).map(({ status }) => status);
    expect([...new Set(statuses)].sort()).toEqual([404, 503]);
  });

  it('is refused to a network that has asked for many that are not there, and to no other', async () => {
    const feed = known(small);
    for (let i = 0; i < 30; i++) expect((await read(aFeed())).status).toBe(404);
    const before = gateway.scheduling.calls.length;
    for (const path of [aFeed(), feed]) {
      const refused = await read(path);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(gateway.scheduling.calls.length).toBe(before);
    expect((await read(feed, another)).status).toBe(200);
    expect((await read(aFeed(), another)).status).toBe(404);
  });

  /** Asks for a feed and reads nothing but the first bytes of it. */
  async function unread(path: string): Promise<number> {
    const socket = connect({ port: gateway.port, host: '127.0.0.1' });
    open.push(socket);
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'readable');
    return Number(String((socket.read(12) as Buffer | null) ?? '').slice(-3));
  }

  it('is counted until it has been read: many that are not are refused to their workspace alone', async () => {
    const endless = { lines: 'x'.repeat(mebi), after: newId('evt') };
    const tenantId = newId('ten');
    const feed = known(endless, tenantId);
    const statuses: number[] = [];
    // An unread answer is cut off after a while, which on a busy machine frees slots for more.
    while (!statuses.includes(503) && statuses.length < 200) statuses.push(await unread(feed));
    expect(statuses.at(-1)).toBe(503);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(32);
    expect((await read(known(small, tenantId))).status).toBe(503);
    expect((await read(known(small))).status).toBe(200);
    for (const socket of open.splice(0)) socket.destroy();
    while ((await read(known(small, tenantId))).status !== 200) await sleep(50);
  });

  it('is asked for part by part, no further than it is read', async () => {
    const feed = known({ lines: 'x'.repeat(mebi), after: newId('evt') });
    const before = gateway.scheduling.calls.length;
    await unread(feed);
    await sleep(500);
    expect(gateway.scheduling.calls.length - before).toBeLessThan(20);
    expect((await gateway.send(feed, { method: 'HEAD' })).status).toBe(200);
    await sleep(500);
    expect(gateway.scheduling.calls.length - before).toBeLessThan(20);
  });
});
