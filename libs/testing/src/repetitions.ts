import { propertyRuns } from './config.js';

/**
 * The number of repetitions of a probabilistic check: all with `PROPERTY_RUNS` (a bound, which
 * `npm run test:full` sets), a few in `npm test`.
 *
 * @example fc.assert(property, { numRuns: repetitions(10_000) });
 */
export const repetitions = (all: number, few = 100): number => Math.min(all, propertyRuns() ?? few);

/** True if this is `npm run test:full`, in which no suite runs beside another. */
export const isFullRun = (): boolean => propertyRuns() !== undefined;

/**
 * `it` or `describe` of what `npm run test:full` alone runs, since it starts a product or a server once
 * more (docs/testing.md). `npm test` shows it as skipped.
 *
 * @example inFullRun(it)('starts again', async () => { … });
 */
export const inFullRun = <S>(runner: S & { readonly skip: S }): S =>
  isFullRun() ? runner : runner.skip;

/** All cases of a table in `npm run test:full`; in `npm test` so many of them, from its whole length. */
export const someOf = <T>(all: readonly T[], few: number): readonly T[] =>
  isFullRun() || few >= all.length
    ? all
    : Array.from({ length: few }, (_, i) => all[Math.floor((i * all.length) / few)] as T);
