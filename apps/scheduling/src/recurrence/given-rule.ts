import {
  Problem,
  readRecurrence,
  spelledZone,
  type GivenRecurrence,
  type RecurrenceRule,
} from '@postroom/contracts';

/** The value after a change: undefined keeps it, null clears it. */
export const merged = <T>(given: T | null | undefined, before: T, cleared: T): T =>
  given === undefined ? before : (given ?? cleared);

/** The time zone (IANA) after a change. */
export const mergedZone = (
  given: string | null | undefined,
  before: string,
  cleared: string,
): string => (given ? spelledZone(given) : merged(given, before, cleared));

/** A rule, with the zone of its event or task. */
interface Zoned {
  readonly recurrence: RecurrenceRule | null;
  readonly timeZone: string;
}

/**
 * The repeat rule after a change. A rule without exceptions, or additions, keeps the earlier ones; a rule that was in
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
  return {
    ...rule,
    exceptMs: given.exceptMs === undefined && before ? before.exceptMs : rule.exceptMs,
    addedMs: given.addedMs === undefined && before ? before.addedMs : rule.addedMs,
  };
}

/** A rule of a column, which may be older than some of its parts. */
export const storedRule = (rule: RecurrenceRule | null): RecurrenceRule | null =>
  rule && { ...{ weekStart: 'MO', addedMs: [] }, ...rule };
