import { hashPassword } from '@postroom/access';
import { invalidField } from '@postroom/contracts';
import { dictionary } from '@zxcvbn-ts/language-common';

const lengthMin = 10;

/** Passwords that were found in breaches most often, long enough to be chosen here. */
const common: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= lengthMin),
);

/** Words that are guessed here first, whatever digits and signs stand around them (OWASP ASVS 5.0, V6.1.2). */
const ownWords: ReadonlySet<string> = new Set(['postroom']);

function isGuessedFirst(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  return common.has(plain) || ownWords.has(plain.replaceAll(/\P{L}/gu, ''));
}

/**
 * The stored form of a new password.
 * @param owner the member who sets it
 * @throws Problem INVALID_REQUEST when it is too short, or one of those that are tried first; LimitReached when
 * too many wait
 */
export function acceptPassword(password: string, owner: string): Promise<string> {
  if ([...password].length < lengthMin) {
    const fr = `mot de passe d’au moins ${lengthMin} caractères attendu`;
    throw invalidField('password', fr, `expected a password of at least ${lengthMin} characters`);
  }
  if (isGuessedFirst(password))
    throw invalidField(
      'password',
      'ce mot de passe est l’un des plus courants, que l’on essaie d’abord ; choisissez-en un autre',
      'this is one of the most common passwords, which are tried first; choose another one',
    );
  return hashPassword(password, owner);
}
