import { Temporal } from 'temporal-polyfill';
import { browserZone } from '../../ui/time.js';

/** A time as `<input type="datetime-local">` has it, in the browser's zone. */
export function localOf(value: unknown): string {
  const at = Temporal.Instant.fromEpochMilliseconds(
    typeof value === 'number' ? value : Date.parse(String(value)),
  );
  return at.toZonedDateTimeISO(browserZone).toPlainDateTime().toString({ smallestUnit: 'minute' });
}

/** The time of such a text, in the form of the value that it replaces; null of what is no time. */
export function timeOfLocal(text: string, like: unknown): number | string | null {
  try {
    const { epochMilliseconds } = Temporal.PlainDateTime.from(text).toZonedDateTime(browserZone);
    return typeof like === 'number' ? epochMilliseconds : new Date(epochMilliseconds).toISOString();
  } catch {
    return null;
  }
}
