/** As in libs/testing, from which contracts import nothing. */
export const repetitions = (all: number, few = 100): number =>
  Math.min(all, Number(process.env['PROPERTY_RUNS'] ?? few));
