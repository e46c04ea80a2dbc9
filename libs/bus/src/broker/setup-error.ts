/**
 * A broker cannot be had as things stand, and someone has to act: the message says what is wrong
 * and what to do. Print it without its stack.
 */
export class BrokerSetupError extends Error {
  override readonly name = 'BrokerSetupError';
}

/** The error's own words, for a sentence of ours. */
export const messageOf = (error: unknown): string =>
  Error.isError(error) ? error.message : String(error);
