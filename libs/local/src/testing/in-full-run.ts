/**
 * `it` or `describe` of what `npm run test:full` alone runs, as `@postroom/testing` has it, which builds on
 * this package.
 */
export const inFullRun = <S>(runner: S & { readonly skip: S }): S =>
  process.env['PROPERTY_RUNS'] ? runner : runner.skip;
