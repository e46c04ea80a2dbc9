import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Lookups } from './message-lookups.js';

/** A name server that says nothing, or that there is no such name (RFC 1035 §4.1.1). */
let server: Socket;
let isTalking: boolean;
let asked: number;
let lookups: Lookups;

beforeEach(async () => {
  [isTalking, asked] = [false, 0];
  server = createSocket('udp4').bind(0, '127.0.0.1');
  server.on('message', (query, { port, address }) => {
    asked++;
    query.writeUInt16BE(0x8183, 2);
    if (isTalking) server.send(query, port, address);
  });
  await once(server, 'listening');
  lookups = new Lookups([`127.0.0.1:${server.address().port}`], 1_400);
});
afterEach(() => void server.close());

/** True if a message’s time ends before a timer that began with it. */
const endsWithin = (ms: number, { signal }: { readonly signal: AbortSignal }): Promise<boolean> =>
  Promise.race([once(signal, 'abort').then(() => true), sleep(ms, false)]);

const codes = (work: readonly Promise<unknown>[]): Promise<unknown[]> =>
  Promise.all(work.map((one) => one.catch((error: unknown) => (error as { code: unknown }).code)));

describe('the look-ups of a message', () => {
  it('end all together with its time, and further ones at once', async () => {
    const { resolve, signal } = lookups.forMessage();
    const open = ['a.example', 'b.example'].map((name) => resolve(name, 'TXT'));
    expect(await codes(open)).toEqual(['ETIMEOUT', 'ETIMEOUT']);
    expect(signal.aborted).toBe(true);
    expect(await codes([resolve('c.example', 'TXT')])).toEqual(['ETIMEOUT']);
  });

  it('have less time while name servers are silent, until one answers', async () => {
    const first = lookups.forMessage();
    expect(await codes([first.resolve('a.example', 'TXT')])).toEqual(['ETIMEOUT']);
    expect(await endsWithin(1_200, lookups.forMessage())).toBe(true);
    isTalking = true;
    expect(await codes([lookups.forMessage().resolve('b.example', 'TXT')])).toEqual(['ENOTFOUND']);
    expect(await endsWithin(1_300, lookups.forMessage())).toBe(false);
  });

  it('have all of it though the server of one sender is silent, while others answer', async () => {
    const hanging = lookups.forMessage();
    const question = hanging.resolve('a.example', 'TXT');
    isTalking = true;
    await codes([lookups.forMessage().resolve('b.example', 'TXT')]);
    isTalking = false;
    await codes([question]);
    expect(await endsWithin(1_300, lookups.forMessage())).toBe(false);
  });

  it('are 64 at most', async () => {
    isTalking = true;
    const { resolve } = lookups.forMessage();
    const names = Array.from({ length: 100 }, (_, i) => `n${i}.example`);
    const found = await codes(names.map((name) => resolve(name, 'TXT')));
    expect(found.filter((code) => code === 'ETIMEOUT')).toHaveLength(36);
    expect(asked).toBe(64);
  });
});
