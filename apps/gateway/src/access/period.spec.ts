import { describe, expect, it } from '@jest/globals';
import { Problem, type GetAnalyticsSummary } from '@postroom/contracts';
import { periodOf } from './analytics.handlers.js';

const clock = { timeZone: 'Europe/Paris', today: '2026-03-10' };

function faultOf(input: GetAnalyticsSummary): unknown {
  try {
    return periodOf(input, clock);
  } catch (error) {
    if (error instanceof Problem)
      return [error.code, ...error.violations.map(({ field }) => field)];
    throw error;
  }
}

describe('the period of a summary', () => {
  it.each<[string, GetAnalyticsSummary, [from: string, to: string]]>([
    ['the last 30 days', {}, ['2026-02-09', '2026-03-10']],
    ['from a day until today', { from: '2026-03-01' }, ['2026-03-01', '2026-03-10']],
    ['30 days until a day', { to: '2024-03-01' }, ['2024-02-01', '2024-03-01']],
    ['what it is told', { from: '2026-01-01', to: '2026-01-31' }, ['2026-01-01', '2026-01-31']],
    ['one day', { from: '2026-01-01', to: '2026-01-01' }, ['2026-01-01', '2026-01-01']],
    ['366 days', { from: '2024-01-01', to: '2024-12-31' }, ['2024-01-01', '2024-12-31']],
    ['days to come', { from: '2027-01-01', to: '2027-01-02' }, ['2027-01-01', '2027-01-02']],
  ])('is %s', (_what, input, [from, to]) => {
    expect(periodOf(input, clock)).toEqual({ from, to, timeZone: 'Europe/Paris' });
  });

  it.each<[string, GetAnalyticsSummary, string]>([
    ['ends before it begins', { from: '2026-01-02', to: '2026-01-01' }, 'from'],
    ['begins after today', { from: '2026-03-11' }, 'from'],
    ['has 367 days', { from: '2024-01-01', to: '2025-01-01' }, 'from'],
    ['has begun too long ago', { from: '2025-03-09' }, 'from'],
  ])('is refused when it %s, and the field is named', (_what, input, field) => {
    expect(faultOf(input)).toEqual(['INVALID_REQUEST', field]);
  });
});
