import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Keyring } from './keyring.js';

const entry = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const place = 'mail.mailboxes.outgoing:mbx_1';

describe('the keyring', () => {
  it('opens what it sealed, for every secret and context', () => {
    const ring = Keyring.parse(entry('k1'));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (secret, context) => {
        expect(ring.open(ring.seal(secret, context), context).equals(secret)).toBe(true);
      }),
    );
    expect(ring.openText(ring.seal('clé privée', place), place)).toBe('clé privée');
  });

  it('writes <keyid>.<nonce>.<ciphertext and tag> with a new nonce each time', () => {
    const ring = Keyring.parse(entry('2026-01'));
    const [one, two] = [ring.seal('x', place), ring.seal('x', place)];
    expect(one).toMatch(/^2026-01\.[\w-]{16}\.[\w-]{23}$/);
    expect(one).not.toBe(two);
  });

  it('opens a secret in no other place than it was sealed for', () => {
    const ring = Keyring.parse(entry('k1'));
    const sealed = ring.seal('secret', place);
    expect(() => ring.open(sealed, 'mail.mailboxes.outgoing:mbx_2')).toThrow('another place');
  });

  it('opens nothing that was altered in any one character', () => {
    const ring = Keyring.parse(entry('k1'));
    const sealed = ring.seal('secret', place);
    for (let at = 0; at < sealed.length; at += 1) {
      const other = sealed[at] === 'A' ? 'Q' : 'A';
      const altered = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(() => ring.open(altered, place)).toThrow(/sealed/);
    }
  });

  it('refuses what is no sealed secret at all', () => {
    const ring = Keyring.parse(entry('k1'));
    fc.assert(fc.property(fc.string(), (text) => expect(() => ring.open(text, place)).toThrow()));
  });

  it('seals with its first key and opens with all', () => {
    const [older, newer] = [entry('k1'), entry('k2')];
    const before = Keyring.parse(older);
    const rotated = Keyring.parse(` ${newer}, ${older} `);
    const old = before.seal('secret', place);
    expect(rotated.openText(old, place)).toBe('secret');
    expect(rotated.isCurrent(old)).toBe(false);
    const renewed = rotated.seal('secret', place);
    expect(rotated.isCurrent(renewed)).toBe(true);
    expect(() => before.open(renewed, place)).toThrow('lacks the key "k2"');
  });

  it('does not open under another key of the same id', () => {
    const sealed = Keyring.parse(entry('k1')).seal('secret', place);
    expect(() => Keyring.parse(entry('k1')).open(sealed, place)).toThrow('another key');
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
