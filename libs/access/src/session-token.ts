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
const cookieName = ({ publicUrl }: CookieSettings): string =>
  isHttps(publicUrl) ? '__Host-postroom_session' : 'postroom_session';

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
 * The `Set-Cookie` value that starts a session: not readable by scripts, not sent with foreign
 * writes, and only over HTTPS where the deployment is reached that way (RFC 6265).
 *
 * @param maxAgeSeconds the session's longest life; the server ends it earlier when it is idle
 */
export function sessionCookie(
  token: string,
  settings: CookieSettings,
  maxAgeSeconds: number,
): string {
  const secure = isHttps(settings.publicUrl) ? '; Secure' : '';
  return `${cookieName(settings)}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The `Set-Cookie` value that makes the browser forget its session. */
export const endedSessionCookie = (settings: CookieSettings): string =>
  sessionCookie('', settings, 0);

/**
 * Reads the session's token from a `Cookie` header. Null when there is none, when it is no token of
 * ours, and when two different ones are sent: then one was planted by a neighbouring host, and
 * which of them is the member's cannot be known.
 */
export function readSessionCookie(header: string | null, settings: CookieSettings): string | null {
  const wanted = cookieName(settings);
  const tokens = new Set<string>();
  for (const pair of (header ?? '').split(';')) {
    const [name = '', ...value] = pair.split('=');
    if (name.trim() === wanted) tokens.add(value.join('=').trim());
  }
  const [token = '', ...others] = tokens;
  return others.length === 0 && tokenShape.test(token) ? token : null;
}
