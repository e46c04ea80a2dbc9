/** Longest wait that a receiver may ask for (`decisions.md` §8). */
const retryAfterMaxMs = 3_600_000;

/**
 * The wait before an attempt, in milliseconds: the schedule's, a fifth longer or shorter by chance, and no
 * less than the receiver asks for.
 * @param attempt the number of the coming attempt, from 1 on
 * @param chance from 0 to 1
 */
export function waitBefore(
  attempt: number,
  delaysMs: readonly number[],
  retryAfterMs = 0,
  chance = Math.random(),
): number {
  const delayMs = delaysMs[attempt - 1] ?? delaysMs.at(-1) ?? 0;
  const jitteredMs = Math.round(delayMs * (0.8 + 0.4 * chance));
  return Math.max(jitteredMs, Math.min(retryAfterMs, retryAfterMaxMs));
}

/**
 * The wait that `Retry-After` asks for (RFC 9110 §10.2.3): seconds, or a date. 0 for anything else.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0;
  if (/^\d{1,15}$/.test(header)) return Math.min(Number(header) * 1000, retryAfterMaxMs);
  const at = /[A-Za-z]/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? 0 : Math.min(Math.max(0, at - nowMs), retryAfterMaxMs);
}
