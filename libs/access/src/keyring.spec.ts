import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Keyring, type SealedColumn } from './keyring.js';

const entry = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const column: SealedColumn = {
  ...{ table: 'mailboxes', column: 'outgoing', key: 'id' },
  context: 'mail.mailboxes.outgoing:',
};
const ringOf = (text: string): Keyring => Keyring.parse(text, [column]);
const row = 'mbx_1';

describe('the keyring', () => {
  it('decrypts what it encrypted, for every secret and row', () => {
    const ring = ringOf(entry('k1'));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (secret, name) => {
        const encrypted = ring.encrypt(secret, column, name);
        expect(ring.decrypt(encrypted, column, name).equals(secret)).toBe(true);
      }),
    );
    const encrypted = ring.encrypt('clé privée', column, row);
    expect(ring.decryptText(encrypted, column, row)).toBe('clé privée');
  });

  it('writes <keyid>.<nonce>.<ciphertext and tag> with a new nonce each time', () => {
    const ring = ringOf(entry('2026-01'));
    const [one, two] = [ring.encrypt('x', column, row), ring.encrypt('x', column, row)];
    expect(one).toMatch(/^2026-01\.[\w-]{16}\.[\w-]{23}$/);
    expect(one).not.toBe(two);
  });

  it('decrypts a secret in no other place than it was encrypted for', () => {
    const ring = ringOf(entry('k1'));
    const encrypted = ring.encrypt('secret', column, row);
    expect(() => ring.decrypt(encrypted, column, 'mbx_2')).toThrow('another place');
  });

  it('decrypts nothing that was altered in any one character', () => {
    const ring = ringOf(entry('k1'));
    const encrypted = ring.encrypt('secret', column, row);
    for (let at = 0; at < encrypted.length; at += 1) {
      const other = encrypted[at] === 'A' ? 'Q' : 'A';
      const altered = encrypted.slice(0, at) + other + encrypted.slice(at + 1);
      expect(() => ring.decrypt(altered, column, row)).toThrow(/encrypted/);
    }
  });

  it('refuses what is no encrypted secret at all', () => {
    const ring = ringOf(entry('k1'));
    fc.assert(
      fc.property(fc.string(), (text) => expect(() => ring.decrypt(text, column, row)).toThrow()),
    );
  });

  it('encrypts with its first key and decrypts with all', () => {
    const [older, newer] = [entry('k1'), entry('k2')];
    const before = ringOf(older);
    const rotated = ringOf(` ${newer}, ${older} `);
    const old = before.encrypt('secret', column, row);
    expect(rotated.decryptText(old, column, row)).toBe('secret');
    expect(rotated.ids).toEqual(['k2', 'k1']);
    const renewed = rotated.encrypt('secret', column, row);
    expect(() => before.decrypt(renewed, column, row)).toThrow('lacks the key "k2"');
  });

  it('encrypts nothing for a column that was not declared', () => {
    const encrypt = () => ringOf(entry('k1')).encrypt('secret', { ...column }, row);
    expect(encrypt).toThrow('mailboxes.outgoing is not declared');
  });

  it('does not decrypt under another key of the same id', () => {
    const encrypted = ringOf(entry('k1')).encrypt('secret', column, row);
    expect(() => ringOf(entry('k1')).decrypt(encrypted, column, row)).toThrow('another key');
  });

  it('names a faulty entry by its place and never shows it', () => {
    const short = `k2:${randomBytes(31).toString('base64')}`;
    for (const faulty of [short, '', 'k2', 'k 2:x', 'hunter2hunter2']) {
      const parse = () => Keyring.parse(`${entry('k1')},${faulty}`);
      expect(parse).toThrow('Key 2 of the keyring is not <id>:<base64 of 32 bytes>.');
    }
    expect(() => Keyring.parse(`${entry('k1')},${entry('k1')}`)).toThrow('one id twice');
  });

  it('derives the same subkey for a label always, and unrelated ones for another', () => {
    const [older, newer] = [entry('k1'), entry('k2')];
    const before = Keyring.parse(older).derive('page-token');
    const after = Keyring.parse(`${newer},${older}`).derive('page-token');
    expect(after.all).toHaveLength(2);
    expect(after.all[0]).toEqual(after.current);
    expect(after.all[1]).toEqual(before.current);
    expect(Keyring.parse(older).derive('other').current).not.toEqual(before.current);
    expect(before.current).toHaveLength(32);
  });
});
