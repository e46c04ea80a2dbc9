import { findPassword, hashPassword, PasswordsBusyError } from '@postroom/access';
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
 * The index of the stored password that matches, or -1. Without any, for an unknown account, it costs
 * as much.
 * @throws Problem SERVICE_UNAVAILABLE when too many wait; nothing was compared then
 */
export const matchPassword = (password: string, stored: readonly string[]): Promise<number> =>
  unlessBusy(findPassword(password, stored));

async function unlessBusy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PasswordsBusyError)) throw error;
    throw new Problem('SERVICE_UNAVAILABLE', { cause: error });
  }
}
