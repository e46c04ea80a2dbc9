/** How often a rule recurs; nothing below a day (`decisions.md` §5). */
export const frequencies = ['daily', 'weekly', 'monthly', 'yearly'] as const;
export type Frequency = (typeof frequencies)[number];

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof weekdays)[number];

/** Bounds of a rule's parts. */
export const recurrenceLimits = {
  interval: 1000,
  count: 2_000,
  exceptions: 1000,
  rrule: 500,
  byDay: 74,
  byMonthDay: 62,
  byMonth: 12,
  bySetPos: 50,
  setPos: 366,
  timeZone: 60,
} as const;

/** A recurrence rule (RFC 5545 §3.3.10) as it is kept: what is not said is empty or null. */
export interface RecurrenceRule {
  readonly freq: Frequency;
  readonly interval: number;
  /** `MO`, or, monthly and yearly, `-1FR`. */
  readonly byDay: readonly string[];
  readonly byMonthDay: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
  readonly count: number | null;
  readonly untilMs: number | null;
  /** IANA; the rule is expanded by the clocks of this zone. */
  readonly timeZone: string;
  /** Starts of occurrences that do not take place. */
  readonly exceptMs: readonly number[];
}
