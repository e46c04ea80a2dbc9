import { canonicalJson, NeededFirst } from '@postroom/operations';
import type { Series } from './expand.js';
import { withoutExceptions, type SeriesQuestion } from './questions.js';

/** A source of answers about series. */
export interface SeriesAnswers {
  /** @throws NeededFirst in a transaction, for what has to be computed with none open */
  answerTo(question: SeriesQuestion): number | null;
}

/** Number of starts of a counted series from a moment on; null for one without a count. */
export function countFrom(series: Series, fromMs: number, asked: SeriesAnswers): number | null {
  const { rule, startMs } = series;
  if (rule.count === null) return null;
  // Without the count, which the library would follow from the start again in each part of the time that it looks through.
  const uncounted = withoutExceptions({ rule: { ...rule, count: null }, startMs });
  return rule.count - (asked.answerTo({ ...uncounted, ask: 'before', atMs: fromMs }) ?? 0);
}

/**
 * Answers for one request about series, computed in a thread. No transaction waits for the thread: one that needs
 * an answer which is not there yet is rolled back and runs again with it.
 */
export class AskedSeries implements SeriesAnswers {
  readonly #answers = new Map<string, number | null>();

  constructor(private readonly compute: (question: SeriesQuestion) => Promise<number | null>) {}

  answerTo(question: SeriesQuestion): number | null {
    this.require([question]);
    return this.#answers.get(keyOf(question)) ?? null;
  }

  /** Has several answers computed at once. @throws NeededFirst when one of them is not there */
  require(questions: readonly SeriesQuestion[]): void {
    const open = questions.filter((question) => !this.#answers.has(keyOf(question)));
    if (open.length > 0) throw new NeededFirst(() => this.#ask(open));
  }

  /** One after the other, so that other workspaces have their turn in between. */
  async #ask(questions: readonly SeriesQuestion[]): Promise<void> {
    for (const question of questions)
      this.#answers.set(keyOf(question), await this.compute(question));
  }
}

/** The same for a rule from a request and from a column, which orders its fields otherwise. */
const keyOf = (question: SeriesQuestion): string => canonicalJson(question);
