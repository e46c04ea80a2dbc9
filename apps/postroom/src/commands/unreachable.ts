import { StartError } from '../start-error.js';

/** What `fetch` throws where no answer came. */
interface FetchFailure {
  readonly message?: string;
  readonly cause?: { readonly code?: string; readonly message?: string };
}

/** What to say of an address at which nobody answered; any other error as it is. */
export function unreachable(url: string, error: unknown): unknown {
  const { message, cause } = Object(error) as FetchFailure;
  if (message !== 'fetch failed' || cause === undefined) return error;
  const reason = cause.code ?? cause.message ?? 'no reason given';
  const { origin } = new URL(url);
  return new StartError(`${origin} cannot be reached (${reason}). Is Postroom running there?`, {
    cause: error,
  });
}
