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

/** Why a passkey was not used or made, in words for the person before the browser. */
export function passkeyRefusal(error: unknown): string {
  if (!(error instanceof Error)) return 'The passkey could not be used.';
  if (error.name === 'NotAllowedError' || error.name === 'AbortError')
    return 'The browser gave no passkey: it was cancelled, took too long, or there is none for this site.';
  if (error.name === 'InvalidStateError') return 'This device has a passkey for you already.';
  if (error.name === 'SecurityError')
    return location.hostname === '127.0.0.1'
      ? `Passkeys need a name instead of an address: open http://localhost:${location.port} here.`
      : 'Passkeys need the address that Postroom is published under, with HTTPS.';
  return error.message;
}
