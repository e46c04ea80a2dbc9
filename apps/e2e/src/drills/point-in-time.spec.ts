// tags: faults, own
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brokerMissing } from '@postroom/local';
import { whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { aftermath, nothingWrong, replayEvents, type Restored } from './aftermath.js';
import type { Deployment } from './deployment.js';
import { startDrilled } from './drilled-product.js';
import { countsOf, judge } from './judgement.js';
import { OwnPostgres, ownPrograms } from './own-postgres.js';
import { rowsOf, storedTimes } from './stored.js';
import { tallyOf, Traffic } from './traffic.js';

const perSecond = 20;
const loadMs = 6_000;

const programs = ownPrograms();
const missing =
  brokerMissing() ?? (programs ? null : 'PostgreSQL’s initdb, pg_ctl and pg_basebackup');

const segment = 'SELECT pg_walfile_name(pg_current_wal_lsn()) AS name';
const recovering = 'SELECT pg_is_in_recovery() AS "isRecovering"';

/** The database is lost under load, and comes back as it was at a moment between. */
whereThere({ missing }, describe)('recovery to a point in time', () => {
  const ends: (() => Promise<unknown>)[] = [];
  let deployment: Deployment;
  let restored: Restored;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-point-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    let running = 'data';
    const postgres = await OwnPostgres.start(programs ?? '', folder);
    ends.push(() => postgres.stop(running));
    const began = new Date().toISOString();
    const started = await startDrilled(postgres.adminUrl, ends);
    const { tally, place, work } = started;
    ({ deployment } = started);

    const traffic = new Traffic(work, perSecond);
    await sleep(loadMs);
    await postgres.baseBackup('base');
    await sleep(loadMs);
    const pointMs = Date.now();
    const [wal] = await rowsOf<{ name: string }>(postgres.adminUrl, segment);
    await sleep(loadMs);
    // Writes that are not in the archive are lost with the database.
    await until(() => existsSync(join(postgres.archive, wal?.name ?? '')), 60_000);
    await postgres.lose();
    const asked = await traffic.stop();
    restored = { deployment, place, work, tally, asked, pointMs, began };
    process.stderr.write(`point in time, load: ${JSON.stringify(tallyOf(asked))}\n`);
    await deployment.stop();
    // They could not end as they should.
    deployment.faults.length = 0;

    running = 'base';
    await postgres.recover(running, pointMs);
    await until(async () => {
      const [state] = await rowsOf<{ isRecovering: boolean }>(postgres.adminUrl, recovering);
      return state?.isRecovering === false;
    });
    await deployment.start();
  }, 600_000);

  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  it('has each write that was acknowledged before that moment, and none that came after it', async () => {
    const point = { fromMs: restored.pointMs, toMs: restored.pointMs };
    const verdict = judge(restored.asked, await storedTimes(deployment.adminUrl), point);
    process.stderr.write(`point in time: ${JSON.stringify(countsOf(verdict))}\n`);
    expect(verdict).toMatchObject({ lost: [], risen: [], doubled: [] });
    expect(verdict.before).toBeGreaterThan(0);
    expect(verdict.after).toBeGreaterThan(0);
  });

  it('works, and tells of what it has', async () => {
    process.stderr.write(`point in time, replayed: ${await replayEvents(restored)}\n`);
    const { wrong, figures } = await aftermath(restored);
    process.stderr.write(`point in time, after: ${JSON.stringify(figures)}\n`);
    expect(wrong).toEqual(nothingWrong);
    expect(deployment.faults).toEqual([]);
  }, 400_000);
});
