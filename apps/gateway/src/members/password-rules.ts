import { hashPassword } from '@postroom/access';
import { invalidField } from '@postroom/contracts';

const lengthMin = 10;

/** The stored form of a new password. @throws Problem INVALID_REQUEST when it is too short */
export function acceptPassword(password: string): Promise<string> {
  if ([...password].length < lengthMin) {
    const fr = `mot de passe d’au moins ${lengthMin} caractères attendu`;
    throw invalidField('password', fr, `expected a password of at least ${lengthMin} characters`);
  }
  return hashPassword(password);
}
