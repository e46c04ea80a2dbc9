/** The beginning of an address of a program on the member's own computer (RFC 8252 §7.3). */
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)/;

/** Schemes that a browser opens or runs by itself: no application of the member's is behind them. */
const notOfApplications = new Set(
  'http ws wss ftp file data javascript vbscript blob filesystem about view-source mailto tel sms intent'
    .split(' ')
    .map((scheme) => `${scheme}:`),
);

const lengthMax = 500;

/** True for an address that an answer may be sent to: HTTPS, a program on the member's computer, or its own scheme. */
export function isRedirectUri(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > lengthMax) return false;
  if (!/^[\x21-\x7e]+$/.test(text) || /[#\\]/.test(text)) return false;
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return /^[a-z\d.-]+$/.test(url.hostname);
  return loopback.test(text) || !notOfApplications.has(url.protocol);
}

const withoutPort = (uri: string): string =>
  uri.replace(loopback, (start) => start.replace(/:\d+$/, ''));

/** True if an address is one of the registered ones, letter by letter; on loopback the port is free (RFC 8252 §7.3). */
export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.some(
    (one) => one === uri || (loopback.test(one) && withoutPort(one) === withoutPort(uri)),
  );

/** The host behind an address: `localhost` on the member's own computer, the scheme of an application. */
export function hostBehind(uri: string): string {
  if (loopback.test(uri)) return 'localhost';
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' ? host : protocol.slice(0, -1);
}

/** The source that a policy of content has to allow so that a form may lead there; it has no notation for `[::1]`. */
export function formTarget(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri);
  return /^https?:$/.test(protocol) && hostname !== '[::1]' ? origin : protocol;
}
