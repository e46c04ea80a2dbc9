import { argon2, hash as digest, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Budget } from '@postroom/limits';
import { limits } from './limits.js';

/**
 * Passwords: argon2id (RFC 9106), kept as PHC strings
 * `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>` (base64 without padding).
 */

const derive = promisify(argon2);

/** OWASP's first recommendation for argon2id; `memoryKiB` is also what one running hash occupies. */
const cost = { memoryKiB: 19_456, passes: 2, lanes: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** The asker of a check: a person at a network that they have signed in from, or a stranger at a site (/24, /48). */
export type Asker = { readonly known: string } | { readonly site: string };

/** The parts of a stored password. */
interface Stored {
  readonly cost: typeof cost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const known = new Budget(limits.knownPasswords);
const strangers = new Budget(limits.strangersPasswords);

/** A flood of strangers leaves those who are known their turns, and other sites theirs. */
const inTurn = <T>(asker: Asker, work: () => Promise<T>): Promise<T> =>
  'known' in asker
    ? known.runInTurn({ caller: asker.known }, work)
    : strangers.runInTurn(asker, work);

/** NFKC, so that the same password typed on two keyboards is the same bytes (NIST SP 800-63B). */
const argon2id = (password: string, salt: Buffer, by: typeof cost, length: number) =>
  derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce: salt,
    memory: by.memoryKiB,
    passes: by.passes,
    parallelism: by.lanes,
    tagLength: length,
  });

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/={1,2}$/, '');

const phcShape =
  /^\$argon2id\$v=19\$m=(?<m>\d{1,7}),t=(?<t>\d{1,3}),p=(?<p>\d{1,2})\$(?<salt>[A-Za-z0-9+/]{11,86})\$(?<hash>[A-Za-z0-9+/]{22,86})$/;

function decode(phc: string): Stored {
  const { m, t, p, salt, hash } = phcShape.exec(phc)?.groups ?? {};
  if (!salt || !hash) throw new Error('A stored password is no argon2id PHC string.');
  return {
    cost: { memoryKiB: Number(m), passes: Number(t), lanes: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

/** Stands in for the password of an unknown account: the usual cost, and a hash that nothing yields. */
const nobody: Stored = { cost, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) };

/**
 * Hashes a new password with a salt of its own.
 *
 * @param owner who sets it
 * @returns the PHC string to store
 * @throws LimitReached when too many are waiting
 */
export async function hashPassword(password: string, owner: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await inTurn({ known: owner }, () => argon2id(password, salt, cost, hashBytes));
  const { memoryKiB, passes, lanes } = cost;
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Stored passwords that are compared at most. */
export const passwordsMax = 5;

/**
 * Finds which of the stored passwords one is, each compared in constant time. With none given, as for
 * an unknown account, the work of one is done; a refused caller waits for as long as `passwordsMax`
 * would have taken, so that the time does not show how many there are. All are compared in one turn:
 * a refusal for lack of room reveals nothing about any.
 *
 * @param phcs PHC strings, at most `passwordsMax`
 * @returns the index of the first that matches, or -1
 * @throws Error when one is no PHC string of argon2id (a damaged row), with nothing compared
 * @throws LimitReached when too many are waiting, with nothing compared
 */
export async function findPassword(
  password: string,
  phcs: readonly string[],
  asker: Asker,
): Promise<number> {
  const stored = phcs.length === 0 ? [nobody] : phcs.map(decode);
  const { found, eachMs } = await inTurn(asker, async () => {
    const startedMs = performance.now();
    for (const [index, { salt, cost: by, hash }] of stored.entries()) {
      const presented = await argon2id(password, salt, by, hash.length);
      if (timingSafeEqual(presented, hash) && phcs.length > 0) return { found: index, eachMs: 0 };
    }
    return { found: -1, eachMs: (performance.now() - startedMs) / stored.length };
  });
  // Waiting takes no processor time from others, as comparing would.
  if (found < 0) await sleep(Math.max(0, passwordsMax - stored.length) * eachMs);
  return found;
}

/** Names a stored password and gives nothing of it away: the salt in it is random. */
export const storedPasswordId = (phc: string): string => digest('sha256', phc, 'base64url');
