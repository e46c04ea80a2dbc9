// tags: hostile, own
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Bystander, type Works } from './hostile/bystander.js';
import { Battlefield } from './hostile/attacks.js';
import { send } from './http.js';
import { works } from './limited-work.js';
import { fills, mailboxesPerProcess, unfilled } from './limits.js';
import type { RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { SettingsApi } from './settings-api.js';
import { until } from './until.js';
import { Workplace } from './workplace.js';

const sources = new URL('../../../', import.meta.url);
/** The figures of a limit over all processes. */
interface Use {
  readonly used: number;
  readonly waiting: number;
  readonly refused: number;
  readonly shared: number;
}

const noUse: Use = { used: 0, waiting: 0, refused: 0, shared: 0 };

/** The limits that the processes declare, with their use. */
async function uses(running: RunningProduct): Promise<Map<string, Use>> {
  const { instances, baseUrl } = running.product;
  const urls = instances?.map(({ healthUrl }) => healthUrl) ?? [baseUrl.replace(/\/public$/, '')];
  const pages = await Promise.all(urls.map((url) => send(`${url}/metrics`)));
  const found = new Map<string, Use>();
  const figures =
    /^postroom_limit_(used|waiting|refused|shared)(?:_total)?\{limit="([^"]+)"\} (\d+)/gm;
  for (const [, what = '', limit = '', value] of pages.flatMap(({ text }) => [
    ...text.matchAll(figures),
  ])) {
    const before = found.get(limit) ?? noUse;
    found.set(limit, { ...before, [what]: before[what as keyof Use] + Number(value) });
  }
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
  afterEach(() => field.clear());
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
    return async (until: Promise<unknown>) => (await Bystander.in(place)).during(until, also);
  }

  it('knows how each is filled, or which spec shows that it leaves others room', async () => {
    const known = [...Object.keys(fills), ...Object.keys(unfilled)].sort();
    expect([...(await uses(running)).keys()].sort()).toEqual(known);
    for (const [limit, [, spec]] of Object.entries(unfilled))
      expect(await readFile(new URL(spec, sources), 'utf8')).toContain(limit);
  });

  /*
   * The order of events judges, not their time: nothing of the other workspace is refused or left until its deadline,
   * and it gets of the limit while the first one finds no room. With one owner for all nothing is ever shared, as
   * apps/postroom/src/limits.spec.ts shows for each limit.
   */
  it.each(Object.entries(fills))('%s', async (limit, fill) => {
    const use = async (): Promise<Use> => (await uses(running)).get(limit) ?? noUse;
    const over = new AbortController();
    const worked = await other(limit, over.signal);
    const before = await use();
    const { ended } = await fill(field, over.signal);
    const isFullAndShared = async (): Promise<boolean> => {
      const { waiting, refused, shared } = await use();
      return (waiting > 0 || refused > before.refused) && shared > before.shared;
    };
    try {
      const shared = until(isFullAndShared).then(() => sleep(2_000));
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
