import type { CarrierName } from '../carriers/index.js';
import { quartiles } from '../quartiles.js';
import type { Direction, Result } from '../result.js';
import type { Measured } from './contestant.js';
import type { ScenarioId } from './scenarios.js';

/** The measurements of one round, by carrier and scenario. */
export type Round = ReadonlyMap<CarrierName, ReadonlyMap<ScenarioId, Measured>>;

interface BusGoal {
  readonly id: string;
  readonly title: string;
  readonly scenario: ScenarioId;
  readonly figure: 'p50Ms' | 'perSecond';
  readonly against: CarrierName;
  readonly goal: number;
  readonly direction: Direction;
}

/** A latency must not exceed its goal, a throughput must reach it. */
const latency = { figure: 'p50Ms', direction: 'at most' } as const;
const throughput = { figure: 'perSecond', direction: 'at least' } as const;

export const goals: readonly BusGoal[] = [
  {
    id: 'C-i',
    title: 'p50, one in flight: our bus / bare ping-pong',
    scenario: 'one',
    against: 'bare-kafka',
    goal: 1.25,
    ...latency,
  },
  {
    id: 'C-ii',
    title: 'p50 at 1,500/s: our bus / HTTP hop',
    scenario: 'rate',
    against: 'http',
    goal: 2.2,
    ...latency,
  },
  {
    id: 'C-iii',
    title: 'replies/s, 128 in flight: our bus / HTTP hop',
    scenario: 'many',
    against: 'http',
    goal: 0.45,
    ...throughput,
  },
  {
    id: 'C-iii-20ms',
    title: 'replies/s, 128 in flight, 20 ms handler: our bus / HTTP hop',
    scenario: 'slow',
    against: 'http',
    goal: 0.8,
    ...throughput,
  },
];

/** The ratios with goals. */
export function resultsOf(history: readonly Round[]): Result[] {
  const cpuOf = (carrier: CarrierName, scenario: ScenarioId): number => {
    const { callerCpuMs = NaN, serviceCpuMs = NaN } = figuresOf(history, carrier, scenario) ?? {};
    return callerCpuMs + serviceCpuMs;
  };
  return goals.flatMap(({ scenario, figure, against, ...goal }) => {
    const ratios = history.flatMap((round) => {
      const own = round.get('kafka-bus')?.get(scenario);
      const other = round.get(against)?.get(scenario);
      return own && other ? [own[figure] / other[figure]] : [];
    });
    if (ratios.length === 0) return [];
    const cpuMs = { own: cpuOf('kafka-bus', scenario), twin: cpuOf(against, scenario) };
    return [{ ...goal, ratio: quartiles(ratios), rounds: ratios.length, cpuMs }];
  });
}

/** Medians over the rounds of one carrier in one scenario. */
interface CarrierFigures extends Measured {
  readonly carrier: CarrierName;
  readonly scenario: ScenarioId;
}

export function figuresOf(
  history: readonly Round[],
  carrier: CarrierName,
  scenario: ScenarioId,
): CarrierFigures | undefined {
  const all = history.flatMap((round) => round.get(carrier)?.get(scenario) ?? []);
  if (all.length === 0) return undefined;
  const middle = (figure: keyof Measured): number =>
    quartiles(all.map((measured) => measured[figure])).median;
  return {
    carrier,
    scenario,
    replies: middle('replies'),
    perSecond: middle('perSecond'),
    p50Ms: middle('p50Ms'),
    p99Ms: middle('p99Ms'),
    p50FromSendMs: middle('p50FromSendMs'),
    callerCpuMs: middle('callerCpuMs'),
    serviceCpuMs: middle('serviceCpuMs'),
  };
}
