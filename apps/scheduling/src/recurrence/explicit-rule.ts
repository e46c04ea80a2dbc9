import { weekdays, type RecurrenceRule } from '@postroom/contracts/recurrence/rule';

/**
 * The same rule as the library expands it soonest. What a rule leaves to its start (RFC 5545 §3.3.10) is said:
 * the library looks at each day for "each month on the day of the start". And a rule of every day or week that
 * names days of others is one of months: the library counts its steps, and gives up a day that is one in many.
 * @param startWall its start by the clocks of its zone, as if it were UTC
 */
export function explicitRule(rule: RecurrenceRule, startWall: number): RecurrenceRule {
  const { freq, interval, bySetPos } = rule;
  const start = new Date(startWall);
  if (freq === 'yearly' || freq === 'monthly') return withDayOf(rule, start);
  if (interval > 1 || bySetPos.length > 0) return rule;
  return freq === 'weekly' ? everyWeek(rule, start) : everyDay(rule);
}

/** Whether a rule says on which days it is; otherwise they follow its start. */
export const saysDays = ({ byDay, byMonthDay }: RecurrenceRule): boolean =>
  byDay.length + byMonthDay.length > 0;

/** On the day of the start, where it names none; a year's in the month of the start. */
function withDayOf(rule: RecurrenceRule, start: Date): RecurrenceRule {
  if (saysDays(rule)) return rule;
  const isOfYear = rule.freq === 'yearly' && rule.byMonth.length === 0;
  const byMonth = isOfYear ? [start.getUTCMonth() + 1] : rule.byMonth;
  return { ...rule, byMonth, byMonthDay: [start.getUTCDate()] };
}

/** On the weekday of the start, where it names none. */
function everyWeek(rule: RecurrenceRule, start: Date): RecurrenceRule {
  if (rule.byMonth.length === 0) return rule;
  const ofStart = weekdays.filter((_, i) => i === (start.getUTCDay() + 6) % 7);
  return { ...rule, freq: 'monthly', byDay: rule.byDay.length > 0 ? rule.byDay : ofStart };
}

function everyDay(rule: RecurrenceRule): RecurrenceRule {
  if (!saysDays(rule) && rule.byMonth.length === 0) return rule;
  return { ...rule, freq: 'monthly', byDay: saysDays(rule) ? rule.byDay : weekdays };
}
