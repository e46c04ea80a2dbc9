import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StartPacer } from './start-pacer.js';

/** Time passes by what tasks take alone, however busy the machine is. */
let nowMs = 0;
beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Longer than the turn in which another task of the key may begin. */
const work = (): void => void (nowMs += 3);

const noWork = (): void => undefined;

/** Notes the tasks that begin, each with the turn of the event loop in which it does. */
function watched() {
  const starts = new StartPacer();
  const begun: { readonly name: string; readonly turn: number }[] = [];
  let turn = 0;
  let isOver = false;
  const next = (): void => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  const task = async (name: string, act = work): Promise<void> => {
    await starts.turn(name.charAt(0));
    begun.push({ name, turn });
    act();
  };
  const over = async (tasks: readonly Promise<unknown>[]): Promise<void> => {
    await Promise.allSettled(tasks);
    isOver = true;
  };
  const turnsOf = (key: string): number[] =>
    begun.filter(({ name }) => name.startsWith(key)).map((one) => one.turn);
  return { begun, task, over, turnsOf };
}

const numbered = (key: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${key}${i}`);

/** Most that happened in one turn. */
const mostOf = (turns: readonly number[]): number =>
  Math.max(...[...Map.groupBy(turns, (turn) => turn).values()].map(({ length }) => length));

describe('tasks of a key that come at once', () => {
  it('begin in their order, a few and then one in a turn', async () => {
    const { begun, task, over, turnsOf } = watched();
    const names = numbered('a', 100);
    await over(names.map((name) => task(name)));
    expect(begun.map(({ name }) => name)).toEqual(names);
    expect(mostOf(turnsOf('a'))).toBe(4);
    expect(mostOf(turnsOf('a').slice(4))).toBe(1);
  });

  it('let another key’s begin at once, and each in turn where both wait', async () => {
    const { begun, task, over } = watched();
    const burst = numbered('a', 100).map((name) => task(name));
    const others = ['b', 'c', 'd'].map((name) => task(name));
    await Promise.all(others);
    expect(begun).toHaveLength(4 + others.length);
    const tail = numbered('b', 10).map((name) => task(name));
    await Promise.all(tail);
    expect(begun.length).toBeLessThan(4 + others.length + 2 * tail.length + 4);
    await over(burst);
  });

  it('begin one in a turn when each has taken its time', async () => {
    const { task, over, turnsOf } = watched();
    await task('a0');
    await over(['a1', 'a2'].map((name) => task(name)));
    expect(mostOf(turnsOf('a'))).toBe(1);
  });

  it('begin together while they are few and take no time', async () => {
    const { task, over, turnsOf } = watched();
    await over(numbered('a', 3).map((name) => task(name, noWork)));
    expect(mostOf(turnsOf('a'))).toBe(3);
  });

  it('are not stopped by one that fails', async () => {
    const { begun, task, over } = watched();
    const failing = (): void => {
      work();
      throw new Error('broken');
    };
    const names = numbered('a', 10);
    await over(names.map((name) => task(name, failing)));
    expect(begun.map(({ name }) => name)).toEqual(names);
  });
});
