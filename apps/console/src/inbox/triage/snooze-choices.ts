import type { Choice } from './picker.js';

const morning = 8;
const long = new Intl.DateTimeFormat('en', {
  ...{ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  hourCycle: 'h23',
});

/** A day after `now`, at an hour of the browser's zone. */
const dayAt = (now: Date, days: number, hour: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);

const daysToMonday = (now: Date): number => (8 - now.getDay()) % 7 || 7;

/** The usual times to see something again. */
export function snoozeChoices(now: Date, snooze: (until: Date) => void): Choice[] {
  const times: readonly [string, Date][] = [
    ['In 3 hours', new Date(now.getTime() + 3 * 3_600_000)],
    ['This evening', dayAt(now, 0, 18)],
    ['Tomorrow', dayAt(now, 1, morning)],
    ['In two days', dayAt(now, 2, morning)],
    ['Next Monday', dayAt(now, daysToMonday(now), morning)],
    ['In a month', dayAt(now, 30, morning)],
  ];
  return times.filter(([, at]) => at > now).map(([label, at]) => choiceOf(label, at, snooze));
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A time as a member types it: `3 days`, `tomorrow 9am`, `2026-12-24`, `2026-12-24 09:00`. */
export function snoozeFromText(
  text: string,
  now: Date,
  snooze: (until: Date) => void,
): Choice | null {
  const at = ahead(text, now) ?? named(text, now) ?? dated(text);
  return at && at > now ? choiceOf(`Until ${text}`, at, snooze) : null;
}

function ahead(text: string, now: Date): Date | null {
  const [, count, unit] = /^(\d{1,3}) ?(h|d|w)[a-z]{0,5}$/i.exec(text) ?? [];
  const ms = units[unit?.toLowerCase() ?? ''];
  return ms === undefined ? null : new Date(now.getTime() + Number(count) * ms);
}

/** A day by its name, with an hour or without. */
function named(text: string, now: Date): Date | null {
  const [, day, hour, minute = '0', half] =
    /^(today|tomorrow)(?: (?:at )?(\d{1,2})(?::(\d{2}))? ?(am|pm)?)?$/i.exec(text) ?? [];
  if (day === undefined) return null;
  const hours = hour === undefined ? morning : hourOf(Number(hour), half?.toLowerCase());
  const at = dayAt(now, day.toLowerCase() === 'today' ? 0 : 1, hours);
  return hours > 23 || Number(minute) > 59 ? null : new Date(at.setMinutes(Number(minute)));
}

/** An hour of the day; `12am` is midnight. */
const hourOf = (hour: number, half: string | undefined): number =>
  half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0);

function dated(text: string): Date | null {
  const [, day, time = '08:00'] = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}))?$/.exec(text) ?? [];
  const at = new Date(`${day}T${time}`);
  return day === undefined || Number.isNaN(at.getTime()) ? null : at;
}

const choiceOf = (label: string, at: Date, snooze: (until: Date) => void): Choice => ({
  ...{ id: label, label, detail: long.format(at), icon: 'snooze', run: () => snooze(at) },
});
