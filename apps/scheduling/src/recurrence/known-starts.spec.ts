import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { caseOf, givenRules } from '../testing/generated-series.js';
import { lastStartOf, startsBetween, type Series } from './expand.js';
import { KnownStarts } from './known-starts.js';

const dayMs = 86_400_000;

describe('starts that are kept', () => {
  it('are those of the expansion, whatever was asked before, and of whichever series', () => {
    const known = new KnownStarts();
    const windows = fc.record({
      from: fc.integer({ min: -100 * dayMs, max: 400 * dayMs }),
      ms: fc.integer({ min: 0, max: 150 * dayMs }),
      max: fc.integer({ min: 1, max: 200 }),
      isExcepted: fc.boolean(),
    });
    const asked = fc.array(windows, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(givenRules, asked, (given, all) => {
        const one = caseOf(given);
        fc.pre(one !== null);
        const { rule, startMs } = one.series;
        const lastMs = lastStartOf(one.series);
        for (const { from, ms, max, isExcepted } of all) {
          const exceptMs = isExcepted ? [...rule.exceptMs, startMs] : rule.exceptMs;
          const series: Series = { startMs, rule: { ...rule, exceptMs } };
          const window = { fromMs: startMs + from, toMs: startMs + from + ms, max };
          const expanded = startsBetween(series, window, lastMs);
          // The second time from what the first has kept.
          for (let time = 0; time < 2; time += 1)
            expect(known.between(series, window, lastMs)).toEqual(expanded);
        }
      }),
      { numRuns: 150 },
    );
  });
});
