import { argon2Sync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { LimitReached } from '@postroom/limits';
import { cheapPassword } from '@postroom/testing';
import {
  findPassword as find,
  hashPassword as hash,
  storedPasswordId,
  type Asker,
} from './password.js';

const stranger: Asker = { site: '192.0.2' };
const findPassword = (password: string, phcs: readonly string[], asker: Asker = stranger) =>
  find(password, phcs, asker);
const hashPassword = (password: string) => hash(password, 'mem_1');

/** "password" with "somesalt", from the reference implementation's tests (phc-winner-argon2). */
const foreign =
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

const isFound = async (password: string, phc: string): Promise<boolean> =>
  (await findPassword(password, [phc])) === 0;

describe('passwords', () => {
  it('are kept as PHC strings of argon2id with a salt of their own', async () => {
    const [one, two] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(two);
  });

  it('verify for the password they were made of and for no other', async () => {
    const phc = await hashPassword('correct horse');
    expect(await isFound('correct horse', phc)).toBe(true);
    expect(await isFound('correct horsf', phc)).toBe(false);
    expect(await isFound('', phc)).toBe(false);
  });

  it('verify when the reference implementation made them', async () => {
    expect(await isFound('password', foreign)).toBe(true);
    expect(await isFound('passwore', foreign)).toBe(false);
  });

  it('are the same however the keyboard composes an accent', async () => {
    const phc = await hashPassword('\u00e9t\u00e9');
    expect(await isFound('e\u0301te\u0301', phc)).toBe(true);
  });

  it('do the work of a check for an unknown account, and refuse', async () => {
    const phc = await hashPassword('known');
    const timed = async (...stored: string[]) => {
      const before = process.cpuUsage();
      expect(await findPassword('guess', stored)).toBe(-1);
      const { user } = process.cpuUsage(before);
      return user;
    };
    await timed(phc);
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      known.push(await timed(phc));
      unknown.push(await timed());
    }
    // The floor is what the work costs; the rest is the machine.
    expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 2);
  });

  it('refuse to read a damaged row', async () => {
    for (const damaged of ['', 'plain', '$2b$10$abc', foreign.replace('v=19', 'v=16')]) {
      await expect(findPassword('x', [damaged])).rejects.toThrow('PHC');
    }
  });

  it('are checked in turns of sites, and of members where they are known, whatever a flood', async () => {
    const flood = Array.from({ length: 60 }, () => findPassword('x', []));
    await expect(flood.at(-1)).rejects.toThrow(LimitReached);
    let over = 0;
    for (const one of flood) void one.catch(() => undefined).then(() => (over += 1));
    const refused = 60 - 51;
    await findPassword('x', [], { known: 'a member' });
    await findPassword('x', [], { site: '198.51.100' });
    // In the order in which they came, both would be behind all 51.
    expect(over - refused).toBeLessThan(26);
    const settled = await Promise.allSettled(flood);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(51);
  });

  it('are found among several, the first that matches, in one turn', async () => {
    const [a, b] = [cheapPassword('a'), cheapPassword('b')];
    const found = (password: string) => findPassword(password, [a, b, b]);
    expect(await Promise.all(['a', 'b', 'c'].map(found))).toEqual([0, 1, -1]);
    // One has its turn and fifty of a site wait: what is begun is compared to its end, the rest not at all.
    const all = Array.from({ length: 55 }, (_, i) => findPassword('b', i < 10 ? [a, b] : [a]));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.slice(0, 10)).toEqual(Array(10).fill({ status: 'fulfilled', value: 1 }));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  });

  it('are named so that one stored anew has another name', async () => {
    const [one, two] = [await hashPassword('same'), await hashPassword('same')];
    expect(storedPasswordId(one)).toMatch(/^[\w-]{43}$/);
    expect(storedPasswordId(one)).not.toBe(storedPasswordId(two));
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
