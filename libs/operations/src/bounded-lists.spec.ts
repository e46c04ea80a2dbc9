import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, signatures, tasks, type Operation } from '@postroom/contracts';
import { listBytesMax } from './bounded-lists.js';
import type { EngineHandler } from './context.js';
import { keyCaller, Ledger } from './testing/ledger.js';

interface Page {
  readonly items: readonly string[];
  readonly truncated: boolean;
  readonly nextPageToken?: string | null;
}

const mebibyte = 1024 * 1024;
/** Two bytes each, and three of four in JSON: what counts is what is sent. */
const text = (mebibytes: number): string => 'é'.repeat((mebibytes * mebibyte) / 2);
const quotes = (mebibytes: number): string => '"'.repeat((mebibytes * mebibyte) / 2);

let ledger: Ledger;
beforeAll(async () => {
  ledger = await Ledger.open();
});
afterAll(() => ledger.close());

const ask = async (operation: Operation, list: EngineHandler, input: object) => {
  const { body } = await ledger.run(operation, list, { caller: keyCaller(), input });
  return { bytes: body.length, page: JSON.parse(body.toString()) as Page };
};

describe('a list whose items are large', () => {
  const sizes = [
    ['alike', Array.from({ length: 20 }, () => text(1))],
    ['large at first', [text(3), text(3), text(3), ...Array<string>(50).fill('x')]],
    ['large at last', [...Array<string>(50).fill('x'), text(5), text(5)]],
    ['of what JSON escapes', Array.from({ length: 12 }, () => quotes(1))],
    ['one too large alone', ['x', text(9), 'y']],
  ] as const;

  it.each(sizes)('has pages that end early, and all items on them (%s)', async (_what, all) => {
    const list = (_: unknown, input: object) => {
      const { limit, pageToken = '0' } = input as { limit: number; pageToken?: string };
      const [from, to] = [Number(pageToken), Number(pageToken) + limit];
      const truncated = to < all.length;
      const nextPageToken = truncated ? String(to) : null;
      return Promise.resolve({ items: all.slice(from, to), truncated, nextPageToken });
    };
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const input = { limit: 200, ...(pageToken !== undefined && { pageToken }) };
      const { bytes, page } = await ask(tasks.list, list, input);
      if (page.items.length > 1) expect(bytes).toBeLessThanOrEqual(listBytesMax);
      expect(page.truncated).toBe(page.nextPageToken !== null);
      seen.push(...page.items);
      pageToken = page.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    expect(seen).toEqual(all);
  });

  it.each(sizes)('says that it is cut where it has no pages (%s)', async (_what, all) => {
    const list = () => Promise.resolve({ items: all, total: all.length, truncated: false });
    const { bytes, page } = await ask(contacts.list, list, {});
    expect(bytes).toBeLessThanOrEqual(listBytesMax);
    expect(page).toEqual({
      ...{ items: all.slice(0, page.items.length), total: all.length, truncated: true },
    });
    expect(page.items.length).toBeGreaterThan(0);
  });

  it.each([[['x', 'y'], false] as const, [[text(5), text(5)], true] as const])(
    'says whether it is cut where its handler does not (%#)',
    async (items, truncated) => {
      const list = () => Promise.resolve({ items });
      const { page } = await ask(signatures.list, list, {});
      expect(page).toEqual({ items: truncated ? items.slice(0, 1) : items, truncated });
    },
  );

  it('is sent as it is where it fits, and read once', async () => {
    let reads = 0;
    const answer = { items: Array.from({ length: 7 }, () => text(1)), truncated: false };
    const list = () => {
      reads += 1;
      return Promise.resolve({ ...answer, nextPageToken: null });
    };
    const { page } = await ask(tasks.list, list, { limit: 200 });
    expect(page).toEqual({ ...answer, nextPageToken: null });
    expect(reads).toBe(1);
  });
});
