import { describe, expect, it } from '@jest/globals';
import type { ApprovalRow } from './approval-rows.js';
import { hasChangedSince, meaningOfRepeat } from './derived-keys.js';

const nowMs = Date.parse('2026-11-26T12:00:00Z');
const rowOf = (given: Partial<ApprovalRow>) => ({ targetId: null, ...given }) as ApprovalRow;
const [justNow, longAgo] = ['2026-11-26T11:51:00Z', '2026-11-26T11:49:59Z'];

describe('the same call again, of a key that was made of it', () => {
  it.each([
    ['pending', null, 'repeat'],
    ['executing', null, 'repeat'],
    ['rejected', null, 'repeat'],
    ['rejected', longAgo, 'repeat'],
    ['executed', null, 'first'],
    ['executed', justNow, 'repeat'],
    ['executed', longAgo, 'anew'],
    ...(['refused', 'expired', 'cancelled', 'failed'] as const).flatMap((state) => [
      [state, null, 'first'] as const,
      [state, justNow, 'anew'] as const,
    ]),
  ] as const)('of an approval that is %s, answered %s, means %s', (state, answeredAt, meaning) => {
    expect(meaningOfRepeat(rowOf({ state, answeredAt }), nowMs)).toBe(meaning);
  });

  it('depends on its target, where it has one', () => {
    const row = rowOf({ state: 'executed', answeredAt: justNow, targetId: 'drf_1' });
    expect(meaningOfRepeat(row, nowMs)).toBe('unlessChanged');
    const done = rowOf({ resultBody: '{"draft":{"version":3}}' });
    expect([3, 4, null].map((version) => hasChangedSince(done, version))).toEqual([
      false,
      true,
      true,
    ]);
    expect(hasChangedSince(rowOf({ resultBody: '{"ok":true}' }), 4)).toBe(false);
  });
});
