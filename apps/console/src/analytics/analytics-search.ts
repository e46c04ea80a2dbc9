/** Lengths of a period that can be chosen, in days. */
export const periods = [7, 30, 90, 365] as const;

/** The view, in the address. */
export interface AnalyticsSearch {
  readonly show?: 'agents';
  readonly days?: (typeof periods)[number];
  readonly as?: 'table';
}

export function analyticsSearchOf(given: Readonly<Record<string, unknown>>): AnalyticsSearch {
  const days = periods.find((one) => one === given.days && one !== 30);
  return {
    ...(given.show === 'agents' && { show: 'agents' }),
    ...(given.as === 'table' && { as: 'table' }),
    ...(days !== undefined && { days }),
  };
}

/** First and last day of a period. */
export interface Period {
  readonly from: string;
  readonly to: string;
}
