import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { rruleText, wallClock, weekdays } from '@postroom/contracts';
import { pythonWith, whereThere } from '@postroom/testing';
import { repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import {
  caseOf,
  givenRules,
  isMixed,
  isWeeklyByPlace,
  startsMax,
  type Case,
} from '../testing/generated-series.js';
import { lastStartOf, startsBetween, type Series } from './expand.js';

// Zone data of the edition that Node has, in place of the system's.
const packages = ['python-dateutil==2.9.0', 'recurring-ical-events==3.8.2', 'tzdata==2026.3'];
const python = pythonWith(packages);
const program = fileURLToPath(new URL('../../python/expand_rules.py', import.meta.url));

type Starts = readonly number[];

/** The occurrences of a series by the two oracles. */
interface Answer {
  readonly dateutil: Starts;
  readonly events: Starts;
}

const askedOf = ({ series: { rule, startMs }, beforeMs }: Case): string =>
  JSON.stringify({
    start: new Date(wallClock(startMs, rule.timeZone)).toISOString().slice(0, 19),
    timeZone: rule.timeZone,
    rrule: rruleText(rule),
    exceptMs: rule.exceptMs,
    beforeMs,
  });

function answersTo(cases: readonly Case[]): readonly Answer[] {
  const { stdout, stderr, status } = spawnSync('python3', [program], {
    timeout: 550_000,
    env: { ...process.env, ...python.env, PYTHONTZPATH: '' },
    input: cases.map(askedOf).join('\n'),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

const count = repetitions(2_000, 120);

/** As many as are compared; what the API refuses is left out. */
function casesOf(seed: number): readonly Case[] {
  const cases: Case[] = [];
  for (const given of fc.sample(givenRules, { numRuns: 2 * count, seed })) {
    const one = cases.length < count ? caseOf(given) : null;
    if (one) cases.push(one);
  }
  return cases;
}

const weekMs = 7 * 86_400_000;

/**
 * An answer as RFC 5545 has it, where it is known to differ:
 * - the start is the first occurrence also where the rule leaves it out (§3.8.5.3), which dateutil does not do;
 * - BYSETPOS counts in a whole interval (§3.3.10), both count from the start on in the first week.
 *
 * Occurrences that these add or remove shift the cut at the end.
 */
function comparable({ rule, startMs }: Series, starts: Starts): Starts {
  const isExcepted = rule.exceptMs.includes(startMs);
  const all = new Set(isExcepted ? starts : [startMs, ...starts]);
  return [...all]
    .filter((ms) => !isWeeklyByPlace(rule) || ms === startMs || ms >= startMs + weekMs)
    .sort((one, other) => one - other)
    .slice(0, startsMax - weekdays.length);
}

whereThere(python, describe)('generated rules', () => {
  const seed = Date.now() % 2 ** 31;
  let cases: readonly Case[] = [];
  beforeAll(() => {
    cases = casesOf(seed);
  });

  it(`expand as dateutil and recurring-ical-events expand them (seed ${seed})`, () => {
    const answers = answersTo(cases);
    expect(answers).toHaveLength(count);
    const differences = cases.flatMap((one, i) => {
      const { series, beforeMs } = one;
      const window = { fromMs: series.startMs, toMs: beforeMs, max: startsMax };
      const ours = comparable(series, startsBetween(series, window));
      const { dateutil = [], events = [] } = answers[i] ?? {};
      // It too leaves out plain weekdays beside those with an ordinal.
      const theirs = isMixed(series.rule) ? [dateutil] : [dateutil, events];
      return theirs
        .map((starts) => comparable(series, starts))
        .filter((starts) => !isDeepStrictEqual(starts, ours))
        .map((starts) => ({ asked: askedOf(one), starts, ours }));
    });
    expect(differences).toEqual([]);
  }, 600_000);

  it(`expand the same from the first start and up to the last (seed ${seed})`, () => {
    for (const { series, beforeMs } of cases) {
      const window = { fromMs: series.startMs, toMs: beforeMs, max: startsMax };
      const asked = askedOf({ series, beforeMs });
      const starts = startsBetween(series, window, lastStartOf(series));
      expect({ asked, starts }).toEqual({ asked, starts: startsBetween(series, window) });
    }
  }, 600_000);
});
