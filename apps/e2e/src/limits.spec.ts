// tags: hostile, own
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@postroom/testing/until';
import { Bystander, type Works } from './hostile/bystander.js';
import { Battlefield } from './hostile/attacks.js';
import { closeConnections, send } from './http.js';
import { works } from './limited-work.js';
import { fills, mailboxesPerProcess } from './limits.js';
import { unfilled } from './unfilled-limits.js';
import type { RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { SettingsApi } from './settings-api.js';
import { Workplace } from './workplace.js';

const sources = new URL('../../../', import.meta.url);

/** The limits that the processes declare, and how often each was shared. */
async function shares(running: RunningProduct): Promise<Map<string, number>> {
  const { instances, baseUrl } = running.product;
  const urls = instances?.map(({ healthUrl }) => healthUrl) ?? [baseUrl.replace(/\/public$/, '')];
  const pages = await Promise.all(urls.map((url) => send(`${url}/metrics`)));
  const found = new Map<string, number>();
  const figure = /^postroom_limit_shared_total\{limit="([^"]+)"\} (\d+)/gm;
  for (const { text } of pages)
    for (const [, limit = '', count] of text.matchAll(figure))
      found.set(limit, (found.get(limit) ?? 0) + Number(count));
  return found;
}

describe('while one workspace fills a limit, another one works', () => {
  let running: RunningProduct;
  let field: Battlefield;

  beforeAll(async () => {
    running = await startProduct({
      RATE_LIMIT_PER_MINUTE: '1000000',
      SEND_RATE_LIMIT_PER_MINUTE: '1000000',
      MEMBER_RATE_LIMIT_PER_MINUTE: '1000000',
      TRUSTED_PROXIES: '127.0.0.1/32',
      MAILBOXES_PER_PROCESS: String(mailboxesPerProcess),
    });
    field = await Battlefield.of(running.product);
  });
  afterEach(() => {
    field.clear();
    // A server that is busy may close an idle one as it is used again.
    closeConnections();
  });
  afterAll(() => running.remove());

  /**
   * The other workspace lists, comments, sends, receives, signs in, and does what the limit bounds, until something is
   * over.
   */
  async function other(limit: string, over: AbortSignal) {
    const { product } = running;
    const place = await Workplace.open('globex', product);
    const bounded = await works[limit]?.(place, over);
    const also: Works = {
      ...(bounded && { [limit]: bounded }),
      'sign in': () => SettingsApi.signIn(product, place.tenant.admin).then(() => undefined),
    };
    const bystander = await Bystander.in(place);
    return (until: Promise<unknown>) => bystander.during(until, also);
  }

  it('knows how each is filled, or which spec shows that it leaves others room', async () => {
    const known = [...Object.keys(fills), ...Object.keys(unfilled)].sort();
    expect([...(await shares(running)).keys()].sort()).toEqual(known);
    for (const [limit, [, spec]] of Object.entries(unfilled))
      expect(await readFile(new URL(spec, sources), 'utf8')).toContain(limit);
  });

  /*
   * The order of events judges, not their time: nothing of the other workspace is refused or left until its deadline,
   * and it gets of the limit while the first one waits for it, or after that was refused. With one owner for all nothing
   * is ever shared, as apps/postroom/src/limits.spec.ts shows for each limit.
   */
  it.each(Object.entries(fills))('%s', async (limit, fill) => {
    const sharedSoFar = async (): Promise<number> => (await shares(running)).get(limit) ?? 0;
    const over = new AbortController();
    const worked = await other(limit, over.signal);
    const before = await sharedSoFar();
    let ended: Promise<unknown> = Promise.resolve();
    try {
      ({ ended } = await fill(field, over.signal));
      const shared = until(async () => (await sharedSoFar()) > before).then(() => sleep(2_000));
      const { failures } = await worked(shared.catch(() => undefined));
      expect(failures).toEqual([]);
      await shared;
    } finally {
      over.abort();
      field.clear();
      await ended.catch(() => undefined);
    }
  });
});
