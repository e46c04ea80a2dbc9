// tags: hostile, own
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ruleWithoutFinds } from '../limited-work.js';
import { descendantsOf } from '../process-tree.js';
import type { RunningProduct } from '../product.js';
import { startProduct } from '../product-process.js';
import { Workplace } from '../workplace.js';
import { attacks, Battlefield } from './attacks.js';
import { Bystander } from './bystander.js';

const mebi = 1024 * 1024;
/** The memory bound of the Node processes of `npm start` (issue 25). */
const rssMaxMebi = 900;
/** The time limit of one action of the other workspace; without the protections it waited 10 s and more. */
const slowestMaxMs = 5_000;

describe('while one workspace or a stranger attacks, another one works', () => {
  let running: RunningProduct;
  let field: Battlefield;

  beforeAll(async () => {
    running = await startProduct({ SEND_RATE_LIMIT_PER_MINUTE: '1000000' });
    field = await Battlefield.of(running.product);
  });
  afterEach(() => field.clear());
  afterAll(() => running.remove());

  /** Resident memory of this process's Node children, mebibytes. */
  async function rssMebi(): Promise<number> {
    let bytes = 0;
    for (const pid of await descendantsOf(process.pid)) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (!command.includes('postroom/dist/main.js')) continue;
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      bytes += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
    }
    return bytes / mebi;
  }

  async function underAttack(attack: () => Promise<unknown>): Promise<void> {
    const bystander = await Bystander.in(await Workplace.open('globex', running.product));
    let rss = 0;
    const watching = setInterval(
      () => void rssMebi().then((now) => (rss = Math.max(rss, now))),
      500,
    );
    const { failures, done, slowestMs } = await bystander
      .during(attack())
      .finally(() => clearInterval(watching));
    process.stdout.write(`${JSON.stringify({ done, slowestMs, rssMebi: Math.round(rss) })}\n`);
    expect(failures).toEqual([]);
    expect(Math.max(...Object.values(slowestMs))).toBeLessThan(slowestMaxMs);
    expect(rss).toBeGreaterThan(0);
    expect(rss).toBeLessThan(rssMaxMebi);
  }

  it('when nobody attacks', async () => {
    await underAttack(() => sleep(5_000));
  });

  it.each(attacks)('by $title', async ({ id, ms, prepare }) => {
    // Its own rules are judged by the thread that the attack keeps busy.
    if (id === 'rules') await addRuleOfOther();
    const attack = await prepare(field);
    await underAttack(() =>
      id === 'imports' ? Promise.all([attack(ms), importBeside()]) : attack(ms),
    );
  });

  async function addRuleOfOther(): Promise<void> {
    const { settings } = await Workplace.open('globex', running.product);
    await settings.post('/dlp-rules', ruleWithoutFinds);
  }

  /** The other workspace imports too. */
  async function importBeside(): Promise<void> {
    await sleep(1_000);
    const { settings } = await Workplace.open('globex', running.product);
    const { items } = JSON.parse((await settings.get('/mailboxes')).text) as {
      items: { id: string }[];
    };
    const path = `/mailboxes/${items[0]?.id}/import`;
    const mbox = 'From a@x.test Fri Jul  8 12:08:34 2011\nSubject: One\n\nhello\n';
    const type = { 'Content-Type': 'application/mbox' };
    expect((await settings.request('POST', path, mbox, type)).status).toBe(200);
  }
});
