import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { declareLimits } from './declaration.js';
import { Pieces } from './pieces.js';

const kibi = 1024;

function some() {
  const full = { problem: 'SERVICE_UNAVAILABLE' } as const;
  const shares = { workspace: 1 };
  const limit = { bounds: 'pieces', unit: 'places', total: 1, shares, waiting: {}, full } as const;
  const pieces = new Pieces(declareLimits('spec', { pieces: limit }).pieces);
  /** Works on so many bytes of a workspace's body, and notes each piece. */
  const done: string[] = [];
  const work = async (
    workspace: string,
    bytes: number,
    body = pieces.body(workspace),
    each: (piece: Buffer) => void = () => undefined,
  ): Promise<number[]> => {
    const sizes: number[] = [];
    const takes = (piece: Buffer): number => {
      each(piece);
      done.push(workspace);
      return piece.length;
    };
    for await (const size of body.of(Buffer.alloc(bytes), takes)) sizes.push(size);
    return sizes;
  };
  return { pieces, done, work };
}

describe('pieces of clients’ bytes', () => {
  it('take turns between workspaces, and are all of the bytes', async () => {
    const { done, work } = some();
    const [sizes] = await Promise.all([work('a', 64 * kibi), work('b', 8 * kibi)]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(64 * kibi);
    expect(done.slice(0, 2)).toEqual(['a', 'b']);
  });

  it('are those of a workspace’s first body first, once a body is not small', async () => {
    const { pieces, done, work } = some();
    const [first, second] = [pieces.body('a'), pieces.body('a')];
    await work('small', 256 * kibi, first);
    await work('small', 256 * kibi, second);
    done.length = 0;
    await Promise.all([work('second', 16 * kibi, second), work('first', 1, first)]);
    expect(done.indexOf('first')).toBe(1);
  });

  it('have fewer bytes where these cost more, some milliseconds at most', async () => {
    const { work, pieces } = some();
    const spin = ({ length }: Buffer): void => {
      const untilMs = performance.now() + length / kibi;
      while (performance.now() < untilMs);
    };
    const [, ...sizes] = await work('a', 32 * kibi, pieces.body('a'), spin);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * kibi);
  });

  it('leave the event loop to others in between', async () => {
    const { pieces } = some();
    const over = new AbortController();
    let others = 0;
    const counting = (async () => {
      for (; !over.signal.aborted; others++) await nextTurn();
    })();
    for (let i = 0; i < 50; i++) await pieces.work('a', () => undefined);
    over.abort();
    await counting;
    expect(others).toBeGreaterThanOrEqual(49);
  });

  it('come no faster than the services pass bytes on', async () => {
    const { work } = some();
    const began = performance.now();
    await Promise.all([work('a', 2_560 * kibi), work('b', 2_560 * kibi)]);
    // 5 MiB, of which the last piece is not waited for.
    expect(performance.now() - began).toBeGreaterThan(290);
  });
});
