/** A program that others wrote. */
interface Outside {
  /** Why it is not to be had; null when it is. */
  readonly missing: string | null;
}

type Named<A extends unknown[]> = (name: string, ...rest: A) => void;

/**
 * `it` or `describe` of what needs such a program: it runs where that is there, and is skipped elsewhere, and
 * its name then says what is missing.
 *
 * @example whereThere(python, it)('reads what we write', () => { … });
 */
export const whereThere =
  <A extends unknown[]>(
    { missing }: Outside,
    runner: Named<A> & { readonly skip: Named<A> },
  ): Named<A> =>
  (name, ...rest) =>
    missing === null
      ? runner(name, ...rest)
      : runner.skip(`${name} (not here: ${missing})`, ...rest);
