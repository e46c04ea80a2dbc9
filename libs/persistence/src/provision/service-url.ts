import { passwordsOf } from '../sign-in.js';
import { serviceRole } from './service-schema.js';

/** An administrator's URL of another database of the same server. */
export function withDatabase(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}

/** An administrator's URL with another user, and its password or several of them (`old,new`); host, port, database and TLS settings stay. */
export function withUser(adminUrl: string, user: string, password: string): string {
  const url = new URL(adminUrl);
  url.searchParams.delete('user');
  url.searchParams.delete('password');
  if (url.host === '') {
    // A socket's URL (postgres:///name?host=/run/postgresql) has no place for them but the query.
    url.searchParams.set('user', user);
    url.searchParams.set('password', password);
  } else {
    url.username = encodeURIComponent(user);
    url.password = passwordsOf(password).map(encodeURIComponent).join(',');
  }
  return url.href;
}

/** A service's schema, and the password of its role. */
export interface SignIn<Name extends string = string> {
  readonly name: Name;
  /** While it is changed two, `old,new`. */
  readonly password: string;
}

/** The URL that each service connects with, by schema name. */
export function serviceUrls<Name extends string>(
  adminUrl: string,
  signIns: readonly SignIn<Name>[],
): Record<Name, string> {
  const urls = Object.fromEntries(
    signIns.map(({ name, password }) => [name, withUser(adminUrl, serviceRole(name), password)]),
  );
  if (isComplete(urls, signIns)) return urls;
  throw new Error('a schema was left out');
}

function isComplete<Name extends string>(
  urls: object,
  signIns: readonly SignIn<Name>[],
): urls is Record<Name, string> {
  return signIns.every(({ name }) => name in urls);
}
