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

/** True if the checker knows that the time is linear; where it searches at random it may only not find an attack. */
export async function isProvedLinear({ source, flags }) {
  const { status, checker } = await check(source, flags, { timeout });
  return status === 'safe' && checker === 'automaton';
}

/** The worst input as long as `unitsMax` allows. */
export function worstInput({ prefix = '', pump, suffix = '' }, unitsMax) {
  const room = Math.max(0, unitsMax - prefix.length - suffix.length);
  return prefix + pump.repeat(Math.floor(room / pump.length)) + suffix;
}
