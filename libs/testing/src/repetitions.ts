import { propertyRuns } from './config.js';

/**
 * How often a spec repeats what it can only make likely: all times with `PROPERTY_RUNS` (a bound, which
 * `npm run test:full` sets), a few in `npm test`.
 *
 * @example fc.assert(property, { numRuns: repetitions(10_000) });
 */
export const repetitions = (all: number, few = 200): number => Math.min(all, propertyRuns() ?? few);

/** Whether this is `npm run test:full`, in which no suite runs beside another. */
export const isFullRun = (): boolean => propertyRuns() !== undefined;
