import type { Recurrence } from '@postroom/contracts';

/** A rule as the API gives it or as a form makes it. */
export type Rule = Pick<Recurrence, 'freq' | 'interval' | 'byDay' | 'byMonthDay' | 'byMonth'> & {
  readonly bySetPos?: readonly number[];
  readonly count?: number | null;
  readonly untilMs?: number | null;
  readonly timeZone: string;
};

export const weekdayNames: Readonly<Record<string, string>> = {
  ...{ MO: 'Monday', TU: 'Tuesday', WE: 'Wednesday', TH: 'Thursday' },
  ...{ FR: 'Friday', SA: 'Saturday', SU: 'Sunday' },
};
export const weekdays = Object.keys(weekdayNames);

const units = { daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year' } as const;
const list = new Intl.ListFormat('en');
const months = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, month)),
);

/** A rule as a person says it: "Every 2 weeks on Monday and Friday, 10 times". */
export function ruleInWords(rule: Rule): string {
  const unit = units[rule.freq];
  const every = rule.interval === 1 ? `Every ${unit}` : `Every ${rule.interval} ${unit}s`;
  return `${every}${placesOf(rule)}${endOf(rule)}`;
}

function placesOf({ byDay, byMonthDay, byMonth, bySetPos = [] }: Rule): string {
  const positions = bySetPos.map(ordinal);
  const days = byDay.map(dayInWords);
  const parts = [
    byMonth.length > 0 && ` in ${list.format(byMonth.map((month) => months[month - 1] ?? ''))}`,
    byMonthDay.length > 0 &&
      ` on the ${list.format(byMonthDay.map((day) => (day < 0 ? `${ordinal(day)} day` : ordinal(day))))}`,
    days.length > 0 &&
      (isWorkdays(byDay) && positions.length === 0
        ? ' on weekdays'
        : ` on ${positions.length > 0 ? `the ${list.format(positions)} ` : ''}${list.format(days)}`),
  ];
  return parts.filter((part) => part !== false).join('');
}

const isWorkdays = (days: readonly string[]): boolean =>
  days.length === 5 && !days.some((day) => day.startsWith('S'));

const dayInWords = (text: string): string => {
  const [, position, day = ''] = /^(-?\d+)?([A-Z]{2})$/.exec(text) ?? [];
  const name = weekdayNames[day] ?? text;
  return position === undefined ? name : `the ${ordinal(Number(position))} ${name}`;
};

const plural = new Intl.PluralRules('en', { type: 'ordinal' });
const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };

function ordinal(n: number): string {
  if (n === -1) return 'last';
  const size = Math.abs(n);
  const text = `${size}${endings[plural.select(size)] ?? 'th'}`;
  return n < 0 ? `${text} last` : text;
}

function endOf({ count, untilMs, timeZone }: Rule): string {
  if (count) return `, ${count === 1 ? 'once' : `${count} times`}`;
  if (!untilMs) return '';
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone });
  return `, until ${day.format(untilMs)}`;
}
