import { Temporal } from 'temporal-polyfill';

/** A day and a time as fields of a form hold them, `2027-03-28` and `09:30`, by the clocks of some zone. */
export interface WallTime {
  readonly date: string;
  readonly time: string;
}

export const zonedOf = (ms: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);

export function wallOf(ms: number, zone: string): WallTime {
  const at = zonedOf(ms, zone);
  return {
    date: at.toPlainDate().toString(),
    time: at.toPlainTime().toString({ smallestUnit: 'minute' }),
  };
}

/** The moment at which clocks of the zone show it; null where it is no day or time. A time that is skipped is the one after. */
export function msOf({ date, time }: WallTime, zone: string): number | null {
  try {
    return Temporal.PlainDateTime.from(`${date}T${time || '00:00'}`).toZonedDateTime(zone)
      .epochMilliseconds;
  } catch {
    return null;
  }
}

/** The first moment of a day in a zone: some days begin at 01:00. */
export const startOfDay = (date: string, zone: string): number | null => {
  try {
    return Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;
  } catch {
    return null;
  }
};

export const dayAfter = (date: string, days = 1): string =>
  Temporal.PlainDate.from(date).add({ days }).toString();

/** All zones that the browser knows. */
export const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** True when a day has another clock at its end than at its start, as on the change to summer time. */
export function changesClock(date: string, zone: string): boolean {
  try {
    return Temporal.PlainDate.from(date).toZonedDateTime(zone).hoursInDay !== 24;
  } catch {
    return false;
  }
}
