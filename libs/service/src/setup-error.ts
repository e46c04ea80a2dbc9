/**
 * A start or a command cannot go on as things are (PostgreSQL or Kafka cannot be had, a database cannot be prepared), and an
 * operator has to act: the message says what is wrong and what to do, and never holds a password. Print it without its stack.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/** The `code` of a system or PostgreSQL error (`ENOENT`, `42710`), whichever realm it comes from. */
export function codeOf(error: unknown): string | undefined {
  // `instanceof Error` is false for Node's own errors inside Jest.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The error's own words, for a sentence of ours. */
export function messageOf(error: unknown): string {
  if (!Error.isError(error)) return String(error);
  // Node's AggregateError (localhost tried over IPv4 and IPv6) has a code and an empty message.
  return error.message || (codeOf(error) ?? error.name);
}
