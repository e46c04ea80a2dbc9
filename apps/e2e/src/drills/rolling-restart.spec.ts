// tags: faults, own
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { brokerMissing } from '@postroom/local';
import { startPostgres } from '@postroom/local';
import { type ScriptedSmtp, whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { drillRate, upgradeFrom } from '../config.js';
import { OwnKey, type Workplace } from '../workplace.js';
import type { Deployment } from './deployment.js';
import { startDrilled } from './drilled-product.js';
import type { EventTally } from './event-tally.js';
import { Release } from './release.js';
import { storedTimes } from './stored.js';
import { type TrafficOutcome, isWrite, tallyOf, Traffic, type Work } from './traffic.js';

const perSecond = drillRate();
const unchecked = ({ product, api }: Work): OwnKey =>
  new OwnKey(product, api.id, api.key, { check: () => undefined });

const quietMs = 2_000;
const toldWithinMs = 120_000;

const here = new Release();
const before = upgradeFrom() === undefined ? here : new Release(upgradeFrom());
const what = before === here ? 'restart' : 'upgrade';
const unverified = 'postroom_bus_unverified_total';

/**
 * Every process is replaced as the chart has it, by one of the same version or, with UPGRADE_FROM, of this
 * version instead of an older one (0.3.0 or any commit after it), while the product works.
 */
whereThere({ missing: brokerMissing() }, describe)(`a rolling ${what} under load`, () => {
  const ends: (() => Promise<unknown>)[] = [];
  let outside: ScriptedSmtp;
  let tally: EventTally;
  let deployment: Deployment;
  let place: Workplace;
  let work: Work;
  let traffic: Traffic | undefined;
  const began = new Date().toISOString();
  const all: TrafficOutcome[] = [];

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-rolling-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o711);
    const dataDir = join(folder, 'postgres');
    const postgres = await startPostgres({ dataDir, log: () => undefined });
    ends.push(() => postgres.stop());
    const started = await startDrilled(postgres.adminUrl, ends, before);
    ({ outside, tally, deployment, place, work } = started);
    // The answers of two versions fit the document of neither: its clients ignore what they do not know.
    if (before !== here) work = { ...work, api: unchecked(work) };
  }, 400_000);

  afterEach(async () => {
    await traffic?.stop();
    traffic = undefined;
  });

  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  const say = (of: string, figures: object): void => {
    process.stderr.write(`rolling ${what}, ${of}: ${JSON.stringify(figures)}\n`);
  };

  /** Does something under load, with a quiet moment before and after; no request may fail. */
  const underLoad = async (of: string, change: () => Promise<number>): Promise<void> => {
    const loading = new Traffic(work, perSecond);
    traffic = loading;
    await sleep(quietMs);
    const beganMs = performance.now();
    const replaced = await change();
    const tookMs = Math.round(performance.now() - beganMs);
    await sleep(quietMs);
    const asked = await loading.stop();
    all.push(...asked);
    say(of, { perSecond, replaced, tookMs, ...tallyOf(asked) });
    const failed = asked.filter(({ fault }) => fault !== null);
    for (const { fault } of failed) {
      const [requestId] = /req_\w+/.exec(fault ?? '') ?? [];
      if (requestId) say(of, { requestId, lines: deployment.linesAbout(requestId) });
    }
    expect(failed).toEqual([]);
    expect(deployment.faults).toEqual([]);
  };

  it('prepares the new version while the one before works', async () => {
    await underLoad('prepare', async () => {
      await deployment.prepare(here);
      return 0;
    });
  });

  it.each(here.apps)('loses no request while %s is replaced', async (app) => {
    await underLoad(app, () => deployment.roll(app, here));
  });

  it('has written each thing once, and told of each once', async () => {
    deployment.release = here;
    expect(await deployment.counted(unverified)).toBe(0);
    const writes = all.filter(isWrite).filter(({ fault }) => fault === null);
    expect(writes.length).toBeGreaterThan(0);
    const stored = await storedTimes(deployment.adminUrl);
    expect(writes.filter(({ marker }) => stored.get(marker) !== 1)).toEqual([]);
    const subjects = outside.delivered.map(
      ({ raw }) => /^subject: (.*)\r$/im.exec(String(raw))?.[1],
    );
    const left = Map.groupBy(subjects, (subject) => subject);
    const sends = writes.filter(({ kind }) => kind === 'send');
    expect(sends.filter(({ marker }) => left.get(marker)?.length !== 1)).toEqual([]);

    await until(() => tally.untold(writes).length === 0, toldWithinMs).catch(() => undefined);
    const verified = await deployment.command(
      ...['events', 'verify', '--name', 'acme', '--since', began],
    );
    const { posts, surplus, altered } = tally.posts;
    say('events', { writes: writes.length, posts, verified: verified.stdout.trim().split('\n') });
    expect(tally.untold(writes)).toEqual([]);
    expect(tally.toldTwice(writes)).toEqual([]);
    expect({ surplus, altered }).toEqual({ surplus: [], altered: [] });
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('"findings":0') });
    const audit = await place.settings.get('/audit/verify');
    expect(JSON.parse(audit.text)).toMatchObject({ ok: true });
  });
});
