import { DatabaseError } from 'pg';

/** The passwords of a list such as `old,new`; the first one is set by `provision`. */
export const passwordsOf = (list: string): readonly string[] => list.split(',');

/**
 * The URLs of a URL with several passwords, one for each: `postgres://role:old,new@host/name`. While the
 * password of a role is changed a service has both, and signs in with the one that the server takes. A comma of
 * a password itself is written `%2C` before the host; a parameter `password` can have none.
 */
export function signInUrls(url: string): readonly string[] {
  const parsed = URL.parse(url);
  const inQuery = parsed?.searchParams.get('password') ?? null;
  const passwords = passwordsOf(inQuery ?? parsed?.password ?? '');
  if (passwords.length === 1) return [url];
  return passwords.map((password) => {
    const one = new URL(url);
    if (inQuery === null) one.password = password;
    else one.searchParams.set('password', password);
    return one.href;
  });
}

/** Whether PostgreSQL has refused a password. */
export const isPasswordRefused = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '28P01';
