// tags: faults, own
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brokerMissing } from '@postroom/local';
import { ScriptedSmtp, whereThere } from '@postroom/testing';
import { topology } from '../config.js';
import { aftermath, nothingWrong } from '../drills/aftermath.js';
import { EventTally } from '../drills/event-tally.js';
import { judge } from '../drills/judgement.js';
import { storedTimes } from '../drills/stored.js';
import {
  type TrafficOutcome,
  isWrite,
  openWork,
  tallyOf,
  Traffic,
  type Work,
} from '../drills/traffic.js';
import { query } from '../public-api.js';
import { startNewProduct } from '../product-process.js';
import { commentOf } from '../wire.js';
import { Workplace } from '../workplace.js';
import { injections, ProductUnderTest } from './injections.js';

const perSecond = 20;
const neighbourPerSecond = 5;
const quietMs = 2_000;
/** The deadline of an operation, 10 s, and as long for a process that starts on a busy machine to accept connections. */
const answeredWithinMs = 20_000;
const dayMs = 86_400_000;
const missing = topology() === 'cluster' ? brokerMissing() : null;

/** One fault at a time, under load, judged by what clients, a receiver and a mail server saw. */
whereThere({ missing }, describe)(`a product of the topology ${topology()}`, () => {
  const ends: (() => Promise<unknown>)[] = [];
  let underTest: ProductUnderTest;
  let outside: ScriptedSmtp;
  let tally: EventTally;
  let place: Workplace;
  let work: Work;
  let neighbour: Work;

  beforeAll(async () => {
    outside = await ScriptedSmtp.listen();
    ends.push(() => outside.close());
    tally = await EventTally.start();
    ends.push(() => tally.close());
    // Apart from each other, so that one fault does not cut all attempts of a delivery.
    const settings = { OUTGOING_SMTP_URL: outside.url, WEBHOOK_RETRY_DELAYS_MS: '0,5s,15s,30s' };
    const running = await startNewProduct(settings);
    ends.push(() => running.remove());
    underTest = await ProductUnderTest.of(running);
    place = await Workplace.open('acme', running.product);
    await place.settings.post('/webhooks', { url: tally.url });
    work = await openWork(place);
    neighbour = await openWork(await Workplace.open('globex', running.product));
  });

  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  /** Runs a fault under load. @returns what was asked, by the workspace and by its neighbour */
  const underLoad = async (
    fault: () => Promise<void>,
  ): Promise<Record<'asked' | 'ofNeighbour', readonly TrafficOutcome[]>> => {
    const traffic = new Traffic(work, perSecond);
    const beside = new Traffic(neighbour, neighbourPerSecond, ['list', 'comment', 'read']);
    await sleep(quietMs);
    try {
      await fault();
      await underTest.recovered();
      await sleep(quietMs);
    } finally {
      await Promise.all([traffic.stop(), beside.stop()]);
    }
    return { asked: await traffic.stop(), ofNeighbour: await beside.stop() };
  };

  /** The history of both workspaces, and the state of what they wrote, is as though there had been no fault. */
  const expectWhole = async (
    name: string,
    { asked, ofNeighbour }: Awaited<ReturnType<typeof underLoad>>,
  ): Promise<void> => {
    const began = new Date(Date.now() - dayMs).toISOString();
    const restored = { deployment: underTest, place, work, tally, asked, pointMs: 0, began };
    const { wrong, figures } = await aftermath(restored);
    const all = [...asked, ...ofNeighbour];
    const ever = { fromMs: Infinity, toMs: Infinity };
    const { before, lost, doubled } = judge(all, await storedTimes(underTest.adminUrl), ever);
    const subjects = outside.delivered.map(
      ({ raw }) => /^subject: (.*)\r$/im.exec(String(raw))?.[1],
    );
    const times = Map.groupBy(subjects, (subject) => subject);
    const wronglySent = asked
      .filter(({ kind }) => kind === 'send')
      .filter(({ marker, fault }) => {
        const left = times.get(marker)?.length ?? 0;
        return left > 1 || (fault === null && left === 0);
      });
    const late = all
      .filter(({ kind }) => kind !== 'mail')
      .filter(({ sentMs, endedMs }) => endedMs - sentMs > answeredWithinMs);
    const feed = await neighbour.api.get('/v1/events', { limit: 500 });
    const seen = asked.filter(isWrite).filter(({ marker }) => feed.text.includes(marker));
    const { surplus, altered } = tally.posts;
    const told = { topology: topology(), ...tallyOf(asked), acknowledged: before, after: figures };
    process.stdout.write(`fault ${name}: ${JSON.stringify(told)}\n`);
    expect({ lost, doubled, wronglySent, late, seen, surplus, altered, wrong }).toEqual({
      ...{ lost: [], doubled: [], wronglySent: [], late: [], seen: [], surplus: [], altered: [] },
      wrong: nothingWrong,
    });
  };

  it.each(Object.entries(injections))('is whole after %s', async (name, inject) => {
    await expectWhole(name, await underLoad(() => inject(underTest)));
  });

  it('is whole after reply-lost', async () => {
    const { mailbox, conversations, product, api } = work;
    const path = `/v1/conversations/${conversations[0] ?? ''}/comment`;
    const texts = Array.from({ length: 100 }, () => randomUUID());
    const comment = async (text: string): Promise<void> => {
      const body = JSON.stringify({ mailbox, text });
      const headers = { 'X-Api-Key': api.key, 'Content-Type': 'application/json' };
      const signal = AbortSignal.timeout(Math.round(Math.random() * 60));
      await fetch(product.baseUrl + path, {
        ...{ method: 'POST', body, signal },
        headers: { ...headers, 'Idempotency-Key': text },
      }).catch(() => undefined);
      const repeat = async () => commentOf(await api.post(path, { mailbox, text }, text));
      expect(await repeat()).toEqual(await repeat());
    };
    const seen = await underLoad(async () => {
      for (const text of texts) await comment(text);
    });
    const stored = await storedTimes(underTest.adminUrl);
    expect(texts.filter((text) => stored.get(text) !== 1)).toEqual([]);
    expect(seen.asked.filter(({ fault }) => fault !== null)).toEqual([]);
    await expectWhole('reply-lost', seen);
  });

  it('is whole after scope-removed', async () => {
    const scopes = ['read:conversations', 'write:conversations'];
    const key = await place.keyFor(work.mailbox, { scopes });
    let removedMs = 0;
    let ofKey: readonly TrafficOutcome[] = [];
    const seen = await underLoad(async () => {
      const traffic = new Traffic({ ...work, api: key }, perSecond, ['comment', 'list']);
      await sleep(quietMs);
      const { status } = await place.settings.patch(`/keys/${key.id}`, {
        scopes: scopes.slice(0, 1),
      });
      removedMs = Date.now();
      await sleep(quietMs);
      ofKey = await traffic.stop();
      expect(status).toBe(200);
    });
    const later = ofKey.filter(({ sentMs }) => sentMs > removedMs);
    const outcomes = later.map(({ kind, fault }) => `${kind} ${fault?.slice(0, 3) ?? 200}`);
    expect(new Set(outcomes)).toEqual(new Set(['comment 403', 'list 200']));
    expect(seen.ofNeighbour.filter(({ fault }) => fault !== null)).toEqual([]);
    await expectWhole('scope-removed', seen);
  });

  it('refuses a neighbour’s mailbox through it all', async () => {
    const path = `/v1/conversations?${query({ mailbox: work.mailbox })}`;
    const { status } = await neighbour.api.request('GET', path);
    expect([403, 404]).toContain(status);
  });
});
