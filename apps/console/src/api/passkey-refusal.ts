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
