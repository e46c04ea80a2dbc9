// tags: faults, own
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brokerMissing } from '@postroom/local';
import { startPostgres } from '@postroom/local';
import { whereThere } from '@postroom/testing';
import { aftermath, nothingWrong, replayEvents, type Restored, walk } from './aftermath.js';
import type { Deployment } from './deployment.js';
import { startDrilled } from './drilled-product.js';
import { countsOf, judge } from './judgement.js';
import { rowsOf, storedTimes } from './stored.js';
import { roundWithout, tallyOf, Traffic } from './traffic.js';

const perSecond = 20;
const loadMs = 6_000;

/** The newest transaction that brought a message. */
const newest = 'SELECT max(kept_by)::text AS number FROM mail.messages';

/** The database is lost under load, and comes back from a backup that was taken under load. */
whereThere({ missing: brokerMissing() }, describe)('a backup, a loss and a restore', () => {
  const ends: (() => Promise<unknown>)[] = [];
  let deployment: Deployment;
  let restored: Restored;
  /** The newest event of the server that was lost. */
  let newestBefore: string;
  const point = { fromMs: 0, toMs: 0 };

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-restore-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o711);
    const dataDir = join(folder, 'postgres');
    let postgres = await startPostgres({ dataDir, log: () => undefined });
    ends.push(() => postgres.stop());
    const began = new Date().toISOString();
    const started = await startDrilled(postgres.adminUrl, ends);
    const { tally, place, work } = started;
    ({ deployment } = started);

    const traffic = new Traffic(work, perSecond, roundWithout('feed'));
    await sleep(loadMs);
    // Events that it has not taken from the bus at the moment of the backup, it takes before the loss.
    await deployment.stop('webhook-dispatcher');
    await sleep(loadMs / 2);
    point.fromMs = Date.now();
    const taken = await deployment.command('backup', '--to', join(folder, 'backup'));
    point.toMs = Date.now();
    expect(taken).toMatchObject({ code: 0, stderr: '' });
    await deployment.scale('webhook-dispatcher', 2);
    await sleep(loadMs);
    newestBefore = (await rowsOf<{ number: string }>(postgres.adminUrl, newest))[0]?.number ?? '';

    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    await postgres.stop();
    const asked = await traffic.stop();
    restored = { deployment, place, work, tally, asked, pointMs: point.fromMs, began };
    process.stderr.write(`restore, load: ${JSON.stringify(tallyOf(asked))}\n`);
    await deployment.stop();
    // They could not end as they should.
    deployment.faults.length = 0;

    postgres = await startPostgres({ dataDir: join(folder, 'anew'), log: () => undefined });
    deployment.adminUrl = postgres.adminUrl;
    await deployment.prepare();
    const back = await deployment.command('restore', '--from', join(folder, 'backup'));
    expect(back).toMatchObject({ code: 0, stderr: '' });
    await deployment.start();
  }, 600_000);

  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  it('has each write that was acknowledged before the backup, and none that came after it', async () => {
    const verdict = judge(restored.asked, await storedTimes(deployment.adminUrl), point);
    process.stderr.write(`restore: ${JSON.stringify(countsOf(verdict))}\n`);
    expect(verdict).toMatchObject({ lost: [], risen: [], doubled: [] });
    expect(verdict.before).toBeGreaterThan(0);
    expect(verdict.after).toBeGreaterThan(0);
  });

  it('shows each conversation once, when the new server comes to the numbers of the old one', async () => {
    const all = await walk(restored.work);
    const use = `DO $$ BEGIN
      WHILE pg_current_xact_id()::text::bigint <= ${newestBefore} LOOP COMMIT; END LOOP; END $$`;
    const seen = await walk(restored.work, () => rowsOf(deployment.adminUrl, use));
    expect(seen).toEqual(all);
  });

  it('works, and tells of what it has', async () => {
    process.stderr.write(`restore, replayed: ${await replayEvents(restored)}\n`);
    const { wrong, figures } = await aftermath(restored);
    process.stderr.write(`restore, after: ${JSON.stringify(figures)}\n`);
    expect(wrong).toEqual(nothingWrong);
    expect(deployment.faults).toEqual([]);
  }, 400_000);
});
