import type { GivenRecurrence, NamedMember, TaskPriority } from '@postroom/contracts';
import { Temporal } from 'temporal-polyfill';

/** A task as one line says it. */
export interface QuickTask {
  readonly title: string;
  readonly dueMs: number | null;
  readonly priority: TaskPriority;
  readonly assignee: string | null;
  readonly recurrence: Pick<GivenRecurrence, 'freq' | 'interval' | 'byDay'> | null;
}

/** The hour at which a task is due whose line names a day alone. */
const hourOfDay = '18:00';

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/**
 * Reads "Call Claire tomorrow 14:00 !high @ada every week": days, times, priorities, members and repetitions, in
 * any order; what is left is the title.
 */
export function readLine(
  line: string,
  members: readonly NamedMember[],
  now: Temporal.ZonedDateTime,
): QuickTask {
  let rest = ` ${line.replaceAll(/\s+/g, ' ').trim()} `;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest);
    if (found) rest = rest.replace(found[0], ' ');
    return found;
  };
  const priority = take(/ !(low|high|urgent)(?= )/i)?.[1]?.toLowerCase() as
    | TaskPriority
    | undefined;
  const assignee = memberOf(/ @([^\s@]+)(?= )/.exec(rest)?.[1], members);
  if (assignee !== null) take(/ @[^\s@]+(?= )/);
  const recurrence = repetitionOf(take(repetition)?.[1]);
  const day = dayOf(take(dayName)?.[1], now) ?? firstDayOf(recurrence, now);
  const dueMs = dueOf(day, clockOf(take(/ (?:at )?([01]?\d|2[0-3]):([0-5]\d)(?= )/)), now);
  return { title: rest.trim(), priority: priority ?? 'normal', dueMs, assignee, recurrence };
}

const repetition =
  / every (day|week|month|year|weekday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?= )/i;
const dayName =
  / (?:on )?(today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d\d-\d\d)(?= )/i;

const clockOf = (found: RegExpExecArray | null): string | null =>
  found && `${found[1]?.padStart(2, '0')}:${found[2]}`;

function memberOf(name: string | undefined, members: readonly NamedMember[]): string | null {
  if (name === undefined) return null;
  const wanted = name.toLowerCase();
  const found = members.find(
    (member) =>
      member.email.toLowerCase().startsWith(wanted) || member.name.toLowerCase().startsWith(wanted),
  );
  return found?.email ?? null;
}

function repetitionOf(name: string | undefined): QuickTask['recurrence'] {
  if (name === undefined) return null;
  const word = name.toLowerCase();
  const weekday = days.indexOf(word);
  if (weekday >= 0) return { freq: 'weekly', interval: 1, byDay: [codeOf(weekday)] };
  if (word === 'weekday')
    return { freq: 'weekly', interval: 1, byDay: [0, 1, 2, 3, 4].map(codeOf) };
  const freqs = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const;
  return { freq: freqs[word as keyof typeof freqs], interval: 1 };
}

const codeOf = (weekday: number): string => (days[weekday] ?? '').slice(0, 2).toUpperCase();

function dayOf(name: string | undefined, now: Temporal.ZonedDateTime): Temporal.PlainDate | null {
  const today = now.toPlainDate();
  if (name === undefined) return null;
  const word = name.toLowerCase();
  if (word === 'today') return today;
  if (word === 'tomorrow') return today.add({ days: 1 });
  const weekday = days.indexOf(word);
  if (weekday >= 0) return today.add({ days: ((weekday + 7 - today.dayOfWeek) % 7) + 1 });
  try {
    return Temporal.PlainDate.from(word);
  } catch {
    return null;
  }
}

/** A rule needs a first day: the next that it names, else today. */
function firstDayOf(
  recurrence: QuickTask['recurrence'],
  now: Temporal.ZonedDateTime,
): Temporal.PlainDate | null {
  if (!recurrence) return null;
  const named = recurrence.byDay ?? [];
  const today = now.toPlainDate();
  const ahead = [0, 1, 2, 3, 4, 5, 6].map((n) => today.add({ days: n }));
  return ahead.find((one) => named.includes(codeOf(one.dayOfWeek - 1))) ?? today;
}

function dueOf(
  day: Temporal.PlainDate | null,
  clock: string | null,
  now: Temporal.ZonedDateTime,
): number | null {
  if (day === null && clock === null) return null;
  const time = Temporal.PlainTime.from(clock ?? hourOfDay);
  const due = (day ?? now.toPlainDate()).toZonedDateTime({
    timeZone: now.timeZoneId,
    plainTime: time,
  });
  // A time without a day is the next one of that hour.
  const isPast = day === null && due.epochMilliseconds < now.epochMilliseconds;
  return (isPast ? due.add({ days: 1 }) : due).epochMilliseconds;
}
