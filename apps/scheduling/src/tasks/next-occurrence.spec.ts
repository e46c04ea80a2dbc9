import { describe, expect, it } from '@jest/globals';
import { NeededFirst } from '@postroom/operations';
import { AskedSeries } from '../recurrence/index.js';
import { answerTo } from '../recurrence/questions.js';
import { emptyTask, nextOccurrence, withGiven, type TaskRecord } from './task-record.js';

const at = (text: string): number => Date.parse(text);

/** The next task, once the answers about its series are there. */
async function nextOf(task: TaskRecord, completed: string): Promise<TaskRecord | null> {
  const asked = new AskedSeries((question) => Promise.resolve(answerTo(question)));
  for (;;)
    try {
      return nextOccurrence(task, at(completed), asked);
    } catch (error) {
      if (!(error instanceof NeededFirst)) throw error;
      await error.obtain();
    }
}
const taskOf = (due: string, recurrence: object, timeZone = 'Europe/Paris'): TaskRecord =>
  withGiven(emptyTask, {
    ...{ title: 'x', dueMs: at(due), timeZone },
    recurrence: { freq: 'daily', ...recurrence },
  });

describe('the next task of a rule', () => {
  it.each([
    ['in time', {}, '2026-06-01T07:00Z', '2026-06-01T06:00Z', '2026-06-02T07:00Z'],
    ['days late', {}, '2026-06-01T07:00Z', '2026-06-16T08:00Z', '2026-06-17T07:00Z'],
    [
      'days late, before its time',
      {},
      '2026-06-01T07:00Z',
      '2026-06-16T06:00Z',
      '2026-06-16T07:00Z',
    ],
    [
      'late, of every other day',
      { interval: 2 },
      '2026-06-01T07:00Z',
      '2026-06-16T06:00Z',
      '2026-06-17T07:00Z',
    ],
    [
      'late, counted from then',
      { interval: 3, from: 'completion' },
      '2026-06-01T07:00Z',
      '2026-06-16T20:00Z',
      '2026-06-19T07:00Z',
    ],
    [
      'early, counted from then',
      { freq: 'monthly', from: 'completion' },
      '2026-06-30T07:00Z',
      '2026-06-16T20:00Z',
      '2026-07-16T07:00Z',
    ],
    ['over a change of clocks', {}, '2026-03-28T08:00Z', '2026-03-28T08:00Z', '2026-03-29T07:00Z'],
  ] as const)('is due after it was done %s', async (_what, rule, due, completed, next) => {
    expect((await nextOf(taskOf(due, rule), completed))?.dueMs).toBe(at(next));
  });

  it('is back at its time on the day after clocks have skipped it', async () => {
    const dayBefore = taskOf('2026-03-28T01:30Z', {});
    const skipped = await nextOf(dayBefore, '2026-03-28T02:00Z');
    expect(skipped?.dueMs).toBe(at('2026-03-29T01:30Z'));
    const after = await nextOf(skipped ?? dayBefore, '2026-03-29T02:00Z');
    expect(after?.dueMs).toBe(at('2026-03-30T00:30Z'));
    const moved = withGiven(skipped ?? dayBefore, { dueMs: at('2026-03-29T05:00Z') });
    expect((await nextOf(moved, '2026-03-29T02:00Z'))?.dueMs).toBe(at('2026-03-30T05:00Z'));
  });

  it('counts what has passed, and ends', async () => {
    const counted = taskOf('2026-06-01T07:00Z', { count: 5 });
    const next = await nextOf(counted, '2026-06-03T08:00Z');
    expect([next?.dueMs, next?.recurrence?.count]).toEqual([at('2026-06-04T07:00Z'), 2]);
    expect(await nextOf(counted, '2026-07-03T08:00Z')).toBeNull();
    const after = taskOf('2026-06-01T07:00Z', { count: 2, from: 'completion' });
    const last = await nextOf(after, '2026-07-01T07:00Z');
    expect(last?.recurrence?.count).toBe(1);
    expect(await nextOf(last ?? after, '2026-07-02T07:00Z')).toBeNull();
  });
});
