import { isDeepStrictEqual } from 'node:util';
import type { RecurrenceRule } from '@postroom/contracts/recurrence/rrule-text';
import { lastStartOf, nextStartAfter, startsBefore, startsBetween, type Series } from './expand.js';

/** A question about a series; the cost of the answer depends on the rule. */
export type SeriesQuestion = Series &
  (
    | { readonly ask: 'last' }
    | { readonly ask: 'at'; readonly atMs: number; readonly lastMs: number | null }
    | { readonly ask: 'before'; readonly atMs: number }
    | { readonly ask: 'next'; readonly afterMs: number }
  );

/** A series without its exceptions, for questions whose answers they do not change. */
export const withoutExceptions = ({ rule, startMs }: Series): Series => ({
  rule: { ...rule, exceptMs: [] },
  startMs,
});

/** Start and rule of an event or a task. */
interface Repeatable {
  readonly startMs: number;
  readonly recurrence: RecurrenceRule | null;
}

/** True if occurrences keep their names: the same start, and the same rule but for its exceptions. */
export const isSameSeries = (one: Repeatable, other: Repeatable): boolean =>
  one.startMs === other.startMs && isDeepStrictEqual(ruleOf(one), ruleOf(other));

const ruleOf = ({ recurrence }: Repeatable) => recurrence && { ...recurrence, exceptMs: [] };

/**
 * Answers a question about a series:
 * - `last`: its last start by the rule, null of one without an end;
 * - `at`: that moment where it has a start then, otherwise null;
 * - `before`: how many starts it has before a moment, those too that are excepted, since COUNT counts them;
 * - `next`: its first start after a moment, null when there is none.
 */
export function answerTo(question: SeriesQuestion): number | null {
  switch (question.ask) {
    case 'last':
      return lastStartOf(question);
    case 'at': {
      const { atMs, lastMs } = question;
      return startsBetween(question, { fromMs: atMs, toMs: atMs, max: 1 }, lastMs)[0] ?? null;
    }
    case 'before':
      return startsBefore(question, question.atMs);
    case 'next':
      return nextStartAfter(question, question.afterMs);
  }
}
