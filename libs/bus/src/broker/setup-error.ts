/**
 * No broker can be started until the operator acts: the message says what is wrong and what to do.
 * Print it without its stack.
 */
export class BrokerSetupError extends Error {
  override readonly name = 'BrokerSetupError';
}

/** The error's message, to be quoted in another one. */
export const messageOf = (error: unknown): string =>
  Error.isError(error) ? error.message : String(error);
