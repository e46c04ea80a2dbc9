import { argon2Sync } from 'node:crypto';

/** A stored password that is compared at once: a check takes the parameters that are stored with it. */
export function cheapPassword(password: string): string {
  const nonce = Buffer.from('somesalt');
  const by = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const hash = argon2Sync('argon2id', { message: password.normalize('NFKC'), nonce, ...by });
  const kept = hash.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$${kept}`;
}
