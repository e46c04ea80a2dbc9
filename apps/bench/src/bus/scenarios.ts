/** A closed loop with a number of requests in flight, or a fixed rate. */
export type Load = { readonly inFlight: number } | { readonly perSecond: number };

export interface Scenario {
  readonly id: ScenarioId;
  readonly title: string;
  readonly load: Load;
  /** The time that the service takes for a request. */
  readonly handlerMs: number;
}

export const scenarioIds = ['one', 'rate', 'many', 'slow'] as const;

export type ScenarioId = (typeof scenarioIds)[number];

export const scenarios: readonly Scenario[] = [
  { id: 'one', title: 'one in flight', load: { inFlight: 1 }, handlerMs: 0 },
  { id: 'rate', title: '1,500/s', load: { perSecond: 1_500 }, handlerMs: 0 },
  { id: 'many', title: '128 in flight', load: { inFlight: 128 }, handlerMs: 0 },
  { id: 'slow', title: '128 in flight, 20 ms handler', load: { inFlight: 128 }, handlerMs: 20 },
];
