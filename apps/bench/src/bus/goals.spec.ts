import { describe, expect, it } from '@jest/globals';
import type { CarrierName } from '../carriers/index.js';
import type { Measured } from './contestant.js';
import { resultsOf, type Round } from './goals.js';
import type { ScenarioId } from './scenarios.js';

const measured = (p50Ms: number, perSecond: number): Measured => ({
  replies: 100,
  perSecond,
  p50Ms,
  p99Ms: 2 * p50Ms,
  p50FromSendMs: p50Ms,
  callerCpuMs: 0.1,
  serviceCpuMs: 0.2,
});

const scenarioIds: readonly ScenarioId[] = ['one', 'rate', 'many', 'slow'];

/** A round in which each carrier does the same in every scenario. */
const round = (figures: Partial<Record<CarrierName, Measured>>): Round =>
  new Map(
    Object.entries(figures).map(([name, one]) => [
      name as CarrierName,
      new Map(scenarioIds.map((id) => [id, one])),
    ]),
  );

const all = {
  http: measured(1, 1000),
  'bare-kafka': measured(2, 300),
  'kafka-bus': measured(2, 500),
};

describe('the results of bench C', () => {
  it('compare latencies and throughputs, each with the side of its goal', () => {
    const results = resultsOf([round(all)]);
    expect(
      results.map(({ id, ratio, goal, direction }) => [id, ratio.median, direction, goal]),
    ).toEqual([
      ['C-i', 1, 'at most', 1.25],
      ['C-ii', 2, 'at most', 2.2],
      ['C-iii', 0.5, 'at least', 0.45],
      ['C-iii-20ms', 0.5, 'at least', 0.8],
    ]);
  });

  it('take the ratio of each round first, and then their median', () => {
    const slow = { ...all, http: measured(10, 1000), 'kafka-bus': measured(15, 500) };
    const [, rate] = resultsOf([round(all), round(slow), round(slow)]);
    expect(rate).toMatchObject({ id: 'C-ii', ratio: { median: 1.5 }, rounds: 3 });
  });
});
