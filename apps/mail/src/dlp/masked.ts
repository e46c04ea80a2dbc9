const shownMax = 40;

/**
 * A find as it may be shown: enough of it to be recognised by who wrote it. Two signs at each end of a
 * long one, one of a short one; the rest as dots.
 */
export function masked(found: string): string {
  const signs = [...found];
  const open = signs.length >= 8 ? 2 : signs.length >= 4 ? 1 : 0;
  const dots = '•'.repeat(Math.min(signs.length - 2 * open, shownMax - 2 * open));
  return signs.slice(0, open).join('') + dots + signs.slice(signs.length - open).join('');
}
