/** A refusal of the settings API: `{ error, message, requestId, details }` (`decisions.md` §9). */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly details: readonly FieldFault[],
    /** The whole body: some refusals carry more, as the decision that was first. */
    readonly body: Readonly<Record<string, unknown>>,
    /** Seconds to wait, where the server said so. */
    readonly retryAfter: number | null,
  ) {
    super(message);
  }
}

/** A fault of one field; `field` is a path as `mailboxes.0.address`, as Mantine's forms name theirs. */
export interface FieldFault {
  readonly field: string;
  readonly code?: string;
  readonly message: string;
}

/** The request did not reach the server, or its answer did not come back. */
export class ConnectionLost extends Error {
  constructor() {
    super('The connection was lost. What you did may not have arrived; try again.');
  }
}

/** The server's sentence, or one of our own for what is no refusal. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong. Try again.';

/** The faults by field, as `form.setErrors` takes them. */
export const fieldErrorsOf = (error: unknown): Record<string, string> =>
  error instanceof ApiProblem
    ? Object.fromEntries(error.details.map(({ field, message }) => [field, message]))
    : {};
