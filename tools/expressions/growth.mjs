import { check } from 'recheck';

/** Some take the checker half a minute; who is not done by then is not known to be linear. */
const timeout = 120_000;

/**
 * Checks that an expression's time grows with its input and no faster, for any input: null if so,
 * or what the checker found, with an input that shows it (`attack`).
 */
export async function growth({ source, flags }) {
  const { status, complexity, attack, error } = await check(source, flags, { timeout });
  if (status === 'safe') return null;
  return { status, complexity: complexity?.summary ?? error?.kind, attack };
}

/** The checker's worst input, as long as `unitsMax` allows. */
export function worstInput({ pumps, suffix }, unitsMax) {
  const fixed = pumps.reduce((sum, { prefix }) => sum + prefix.length, suffix.length);
  const each = Math.floor(Math.max(0, unitsMax - fixed) / pumps.length);
  const text = pumps.map(
    ({ prefix, pump }) => prefix + pump.repeat(Math.floor(each / Math.max(1, pump.length))),
  );
  return text.join('') + suffix;
}
