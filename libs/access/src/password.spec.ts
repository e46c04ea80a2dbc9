import { argon2Sync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hashPassword, needsRehash, PasswordsBusyError, verifyPassword } from './password.js';

/** "password" with "somesalt", from the reference implementation's tests (phc-winner-argon2). */
const foreign =
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

describe('passwords', () => {
  it('are kept as PHC strings of argon2id with a salt of their own', async () => {
    const [one, two] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(two);
  });

  it('verify for the password they were made of and for no other', async () => {
    const phc = await hashPassword('correct horse');
    expect(await verifyPassword('correct horse', phc)).toBe(true);
    expect(await verifyPassword('correct horsf', phc)).toBe(false);
    expect(await verifyPassword('', phc)).toBe(false);
  });

  it('verify when the reference implementation made them, and ask to be hashed anew', async () => {
    expect(await verifyPassword('password', foreign)).toBe(true);
    expect(await verifyPassword('passwore', foreign)).toBe(false);
    expect(needsRehash(foreign)).toBe(true);
    expect(needsRehash(await hashPassword('x'))).toBe(false);
  });

  it('are the same however the keyboard composes an accent', async () => {
    const phc = await hashPassword('\u00e9t\u00e9');
    expect(await verifyPassword('e\u0301te\u0301', phc)).toBe(true);
  });

  it('do the work of a check for an unknown account, and refuse', async () => {
    const phc = await hashPassword('known');
    const timed = async (stored: string | null) => {
      const started = performance.now();
      expect(await verifyPassword('guess', stored)).toBe(false);
      return performance.now() - started;
    };
    await timed(phc);
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      known.push(await timed(phc));
      unknown.push(await timed(null));
    }
    // The floor is what the work costs; the rest is the machine.
    expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 2);
  });

  it('refuse to read a damaged row', async () => {
    for (const damaged of ['', 'plain', '$2b$10$abc', foreign.replace('v=19', 'v=16')]) {
      await expect(verifyPassword('x', damaged)).rejects.toThrow('PHC');
    }
  });

  it('are checked two at a time, and refused past a hundred waiting', async () => {
    const checks = Array.from({ length: 103 }, () => verifyPassword('x', null));
    await expect(checks.at(-1)).rejects.toThrow(PasswordsBusyError);
    const settled = await Promise.allSettled(checks);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(102);
    expect(await verifyPassword('x', null)).toBe(false);
  });

  it('use the parameters their PHC string names', async () => {
    const phc = await hashPassword('pass');
    const [salt = '', hash = ''] = phc.split('$').slice(4);
    const expected = argon2Sync('argon2id', {
      message: 'pass',
      nonce: Buffer.from(salt, 'base64'),
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    });
    expect(hash).toBe(expected.toString('base64').replace(/=+$/, ''));
  });
});
