import { Problem } from '@postroom/contracts/problems';
import { LimitReached } from '@postroom/limits';

/**
 * PostgreSQL's codes for "not now" (appendix A): connection trouble (08, 57P), too many connections
 * (53), a lock or statement that took too long, a deadlock, a serialisation failure.
 */
const passing = /^(08|53|57)|^(55P03|40P01|40001)$/;
const passingSystemErrors = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * These come without a code, from pg or from `closeWhenSilent`: a connection has ended, fell silent, or was
 * not to be had in time.
 */
const noConnection =
  /^(Connection terminated|PostgreSQL has been silent|Query read timeout|timeout expire|timeout exceeded|Client (?:was closed|has encountered a connection error) and is not queryable|Cannot use a pool)/;

const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** True if PostgreSQL gave up waiting for a lock (55P03). */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** True if a unique constraint was violated (23505), of that name when one is given. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  codeOf(error) === '23505' &&
  (constraint === undefined ||
    (typeof error === 'object' &&
      error !== null &&
      'constraint' in error &&
      error.constraint === constraint));

const isPassing = (error: unknown): boolean => {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error && noConnection.test(error.message);
  return passing.test(code) || passingSystemErrors.has(code);
};

/** The problem that a limit names; a limit of SMTP names none. */
function problemOfLimit(cause: LimitReached): Problem {
  const { full } = cause;
  if (!('problem' in full)) return new Problem('SERVICE_UNAVAILABLE', { cause });
  const { problem, retryAfterSeconds } = full;
  const headers = { ...(retryAfterSeconds && { 'retry-after': String(retryAfterSeconds) }) };
  return new Problem(problem, { cause, headers });
}

/**
 * Converts any error to a Problem: a Problem stays, a limit that is reached has one, other errors become
 * SERVICE_UNAVAILABLE or INTERNAL.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof LimitReached) return problemOfLimit(error);
  return new Problem(isPassing(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL', { cause: error });
}
