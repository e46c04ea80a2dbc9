import {
  invalidField,
  periodDaysMax,
  type AnalyticsPeriod,
  type GetAnalyticsSummary,
} from '@postroom/contracts';

/** The current day in a workspace's time zone. */
export interface WorkspaceClock {
  /** IANA. */
  readonly timeZone: string;
  /** As `2026-01-31`. */
  readonly today: string;
}

const dayMs = 86_400_000;
const daysByDefault = 30;

/**
 * The period of a summary, both days included; the last 30 days by default.
 * @throws Problem INVALID_REQUEST when it ends before it begins, or has more than 366 days
 */
export function periodOf(
  { from, to }: GetAnalyticsSummary,
  { timeZone, today }: WorkspaceClock,
): AnalyticsPeriod {
  const last = to ?? today;
  const first = from ?? dayBefore(last, daysByDefault - 1);
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  const field = from === undefined ? 'to' : 'from';
  if (days < 1) {
    throw invalidField(field, 'date postérieure à la fin', 'the period ends before it begins');
  }
  if (days > periodDaysMax) {
    const fr = `période de plus de ${periodDaysMax} jours`;
    throw invalidField(field, fr, `the period has more than ${periodDaysMax} days`);
  }
  return { from: first, to: last, timeZone };
}

const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, 10);
