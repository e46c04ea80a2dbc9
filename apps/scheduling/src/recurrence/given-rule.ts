import {
  Problem,
  readRecurrence,
  type GivenRecurrence,
  type RecurrenceRule,
} from '@postroom/contracts';

/** What a change makes of a value: undefined keeps it, null clears it. */
export const merged = <T>(given: T | null | undefined, before: T, cleared: T): T =>
  given === undefined ? before : (given ?? cleared);

/**
 * What a change makes of a repeat rule.
 * @param timeZone of the series, where the rule names none
 * @throws Problem INVALID_REQUEST
 */
export function mergedRule(
  given: GivenRecurrence | null | undefined,
  before: RecurrenceRule | null,
  timeZone: string,
): RecurrenceRule | null {
  if (!given) return merged(given, before, null);
  const { rule, faults } = readRecurrence(given, 'recurrence', timeZone);
  if (faults) throw new Problem('INVALID_REQUEST', { violations: faults });
  return given.exceptMs === undefined && before ? { ...rule, exceptMs: before.exceptMs } : rule;
}
