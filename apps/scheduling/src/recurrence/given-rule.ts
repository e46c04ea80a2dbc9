import {
  Problem,
  readRecurrence,
  spelledZone,
  type GivenRecurrence,
  type RecurrenceRule,
} from '@postroom/contracts';

/** What a change makes of a value: undefined keeps it, null clears it. */
export const merged = <T>(given: T | null | undefined, before: T, cleared: T): T =>
  given === undefined ? before : (given ?? cleared);

/** What a change makes of a time zone (IANA). */
export const mergedZone = (
  given: string | null | undefined,
  before: string,
  cleared: string,
): string => (given ? spelledZone(given) : merged(given, before, cleared));

/** What repeats, with its zone. */
interface Zoned {
  readonly recurrence: RecurrenceRule | null;
  readonly timeZone: string;
}

/**
 * What a change makes of a repeat rule. One that names no exceptions keeps those that were there; one that is in
 * the zone of its series stays in it.
 * @param timeZone of the series as it is now, where the rule names none
 * @throws Problem INVALID_REQUEST
 */
export function mergedRule(
  given: GivenRecurrence | null | undefined,
  { recurrence: before, timeZone: zoneBefore }: Zoned,
  timeZone: string,
): RecurrenceRule | null {
  if (given === undefined && before?.timeZone === zoneBefore) return { ...before, timeZone };
  if (!given) return merged(given, before, null);
  const { rule, faults } = readRecurrence(given, 'recurrence', timeZone);
  if (faults) throw new Problem('INVALID_REQUEST', { violations: faults });
  return given.exceptMs === undefined && before ? { ...rule, exceptMs: before.exceptMs } : rule;
}
