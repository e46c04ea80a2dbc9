import { hashPassword, PasswordsBusyError, verifyPassword } from '@postroom/access';
import { invalidField, Problem } from '@postroom/contracts';

const lengthMin = 10;

/**
 * The stored form of a new password.
 * @throws Problem INVALID_REQUEST when it is too short, SERVICE_UNAVAILABLE when too many wait
 */
export function acceptPassword(password: string): Promise<string> {
  if ([...password].length < lengthMin) {
    const fr = `mot de passe d’au moins ${lengthMin} caractères attendu`;
    throw invalidField('password', fr, `expected a password of at least ${lengthMin} characters`);
  }
  return unlessBusy(hashPassword(password));
}

/**
 * Whether a password is the stored one; null, for an unknown account, costs the same.
 * @throws Problem SERVICE_UNAVAILABLE when too many wait
 */
export const isPassword = (password: string, stored: string | null): Promise<boolean> =>
  unlessBusy(verifyPassword(password, stored));

async function unlessBusy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PasswordsBusyError)) throw error;
    throw new Problem('SERVICE_UNAVAILABLE', { cause: error });
  }
}
