/** A refusal in the words of OAuth (RFC 6749 §4.1.2.1, §5.2). */
export class OAuthRefused extends Error {
  override readonly name = 'OAuthRefused';

  constructor(
    readonly code: string,
    /** For the developer of the client, or the person in front of the page. */
    readonly description: string,
    readonly status = 400,
    /** The address at which the client learns of it, if the person wants that. */
    readonly backTo: string | null = null,
  ) {
    super(`${code}: ${description}`);
  }
}

/** Parameters of a request by name. */
export type Parameters = Readonly<Record<string, string | undefined>>;

/** @throws OAuthRefused for a parameter that is given more than once (RFC 6749 §3.1, §3.2) */
export function parametersOf(given: URLSearchParams): Parameters {
  const names = [...given.keys()];
  if (new Set(names).size < names.length)
    throw new OAuthRefused('invalid_request', 'A parameter is given more than once.');
  return Object.fromEntries(given);
}
