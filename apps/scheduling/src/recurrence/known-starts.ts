import { LRUCache } from 'lru-cache';
import { startsBetween, type Series } from './expand.js';

type Starts = readonly number[];

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  readonly max: number;
}

/** Windows that begin and end in the same weeks are one, such as those that move with the time. */
const weekMs = 7 * 86_400_000;
/** A longer window is expanded each time: it shows a part of what is in it. */
const longestMs = 20 * weekMs;
const keptBytesMax = 16 * 1024 * 1024;

/**
 * Starts of series, as they were expanded for a window: expanding a thousand takes some fifty milliseconds, and calendars are
 * looked at again and again (goal W-window). They are named by all that they follow from, so that none can be out of
 * date. Those that were not asked for the longest time are forgotten.
 */
export class KnownStarts {
  readonly #known = new LRUCache<string, Starts>({
    maxSize: keptBytesMax,
    sizeCalculation: (starts, name) => name.length + 8 * starts.length + 200,
  });

  /** As {@link startsBetween}. */
  between(series: Series, window: Window, lastMs: number | null): Starts {
    const { fromMs, toMs, max } = window;
    const weeks = {
      fromMs: Math.floor(fromMs / weekMs) * weekMs,
      toMs: (Math.floor(toMs / weekMs) + 1) * weekMs - 1,
      max: Infinity,
    };
    if (weeks.toMs - weeks.fromMs > longestMs) return startsBetween(series, window, lastMs);
    const { rule, startMs } = series;
    const name = `${weeks.fromMs} ${weeks.toMs} ${startMs} ${String(lastMs)} ${JSON.stringify(rule)}`;
    const starts = this.#known.get(name) ?? startsBetween(series, weeks, lastMs);
    this.#known.set(name, starts);
    return starts.filter((ms) => ms >= fromMs && ms <= toMs).slice(0, max);
  }
}
