import { hash, randomBytes } from 'node:crypto';

/** A session's token as its cookie carries it, and its stored hash. */
export interface NewSessionToken {
  /** 256 random bits, base64url (43 characters). Goes into the cookie, never stored. */
  readonly token: string;
  /** {@link hashSessionToken} of it: what is stored and looked up. */
  readonly tokenHash: string;
}

/** The settings that decide a session cookie's name and attributes. */
export interface CookieSettings {
  /** PUBLIC_URL: its scheme decides on `Secure`, and on the cookie's name. */
  readonly publicUrl: string;
}

/**
 * Over HTTPS with the prefix that keeps a neighbouring host, or a page of plain HTTP, from planting one
 * (RFC 6265bis §4.1.3.2).
 */
const cookieName = (name: string, { publicUrl }: CookieSettings): string =>
  `${isHttps(publicUrl) ? '__Host-' : ''}postroom_${name}`;

const isHttps = (publicUrl: string): boolean => new URL(publicUrl).protocol === 'https:';

const tokenShape = /^[\w-]{43}$/;

/**
 * SHA-256 in hex. The session is looked up by it, so a copy of the table opens no session; 256
 * random bits need no salt and no stretching.
 */
export const hashSessionToken = (token: string): string => hash('sha256', token);

/** Makes a session's token. A new one at every sign-in: an old cookie never gains rights. */
export function newSessionToken(): NewSessionToken {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashSessionToken(token) };
}

/**
 * The `Set-Cookie` value of a cookie of ours: not readable by scripts, not sent with foreign
 * writes, and only over HTTPS where the deployment is reached that way (RFC 6265).
 *
 * @param name without the prefix that all of ours have
 */
export function setCookie(
  name: string,
  value: string,
  settings: CookieSettings,
  maxAgeSeconds: number,
): string {
  const secure = isHttps(settings.publicUrl) ? '; Secure' : '';
  return `${cookieName(name, settings)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * The `Set-Cookie` value that starts a session.
 * @param maxAgeSeconds the session's longest life; the server ends it earlier when it is idle
 */
export const sessionCookie = (
  token: string,
  settings: CookieSettings,
  maxAgeSeconds: number,
): string => setCookie('session', token, settings, maxAgeSeconds);

/** The `Set-Cookie` value that makes the browser forget its session. */
export const endedSessionCookie = (settings: CookieSettings): string =>
  sessionCookie('', settings, 0);

/**
 * Reads a cookie of ours from a `Cookie` header. Null when there is none, and when two different ones are
 * sent: then one was planted by a neighbouring host, and which of them is ours cannot be known.
 */
export function readCookie(
  header: string | null,
  name: string,
  settings: CookieSettings,
): string | null {
  const wanted = cookieName(name, settings);
  const values = new Set<string>();
  for (const pair of (header ?? '').split(';')) {
    const [given = '', ...value] = pair.split('=');
    if (given.trim() === wanted) values.add(value.join('=').trim());
  }
  const [value, ...others] = values;
  return others.length === 0 ? (value ?? null) : null;
}

/** Reads the session's token from a `Cookie` header; null when it is no token of ours. */
export function readSessionCookie(header: string | null, settings: CookieSettings): string | null {
  const token = readCookie(header, 'session', settings);
  return token !== null && tokenShape.test(token) ? token : null;
}
