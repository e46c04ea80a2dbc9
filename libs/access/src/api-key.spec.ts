import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KeyKind } from '@postroom/contracts';
import { fingerprintPrefix, parseApiKey, verifySecret } from './api-key.js';
import { newApiKey } from './new-api-key.js';

const id = '01J8ZQ4YV6X7W8N5T3R2Q1P0MK';
const kinds: KeyKind[] = ['human', 'agent'];
const unknownId = '0'.repeat(26);

/** The same key with one character replaced by another of its alphabet. */
function altered(token: string, at: number): string {
  const other = token[at] === '7' ? '6' : '7';
  return token.slice(0, at) + other + token.slice(at + 1);
}

describe('API keys', () => {
  it('are pr_<kind>_<id>_<secret> with 256 random bits and a checksum', () => {
    for (const kind of kinds) {
      const { token, hint } = newApiKey(kind, id);
      expect(token).toMatch(new RegExp(`^pr_${kind}_${id}_[0-9A-Za-z]{49}$`));
      expect(token.endsWith(hint)).toBe(true);
      expect(hint).toHaveLength(4);
    }
    expect(newApiKey('human', id).token).not.toBe(newApiKey('human', id).token);
  });

  it('come back from their text in the parts they were made of', () => {
    for (const kind of kinds) {
      const { token, secretHash } = newApiKey(kind, id);
      const parsed = parseApiKey(token);
      expect(parsed).toEqual({ id, kind, secret: token.slice(-49), wellFormed: true });
      expect(verifySecret(parsed.secret, secretHash)).toBe(true);
      expect(secretHash).toBe(createHash('sha256').update(parsed.secret).digest('hex'));
    }
  });

  it('refuse an id that is no bare ULID', () => {
    for (const wrong of ['', `key_${id}`, id.toLowerCase(), `8${id.slice(1)}`]) {
      expect(() => newApiKey('human', wrong)).toThrow('ULID');
    }
  });

  it('are not well formed with any one character changed', () => {
    const { token } = newApiKey('agent', id);
    for (let at = 0; at < token.length; at += 1) {
      expect(parseApiKey(altered(token, at)).wellFormed).toBe(false);
    }
  });

  it('keep their parts under a wrong checksum, so that the comparison still runs', () => {
    const { token, secretHash } = newApiKey('human', id);
    const parsed = parseApiKey(altered(token, token.length - 1));
    expect(parsed).toMatchObject({ id, kind: 'human', wellFormed: false });
    expect(verifySecret(parsed.secret, secretHash)).toBe(false);
  });

  it('are not well formed under the other kind', () => {
    const { token } = newApiKey('agent', id);
    expect(parseApiKey(token.replace('agent', 'human')).wellFormed).toBe(false);
  });

  it('yield parts that no row has for a missing or malformed text', () => {
    fc.assert(
      fc.property(fc.option(fc.string({ maxLength: 200, unit: 'binary' })), (text) => {
        const parsed = parseApiKey(text);
        expect(parsed).toMatchObject({ id: unknownId, wellFormed: false });
        expect(parsed.secret).toHaveLength(49);
        expect(verifySecret(parsed.secret, null)).toBe(false);
      }),
    );
  });

  it('never match without a stored hash, not even the stand-in hash itself', () => {
    expect(verifySecret('', null)).toBe(false);
    expect(verifySecret(newApiKey('human', id).token.slice(-49), null)).toBe(false);
  });

  it('show a log 12 hex digits that differ from key to key', () => {
    const [one, two] = [newApiKey('human', id).token, newApiKey('human', id).token];
    expect(fingerprintPrefix(one)).toMatch(/^[0-9a-f]{12}$/);
    expect(fingerprintPrefix(one)).toBe(fingerprintPrefix(one));
    expect(fingerprintPrefix(one)).not.toBe(fingerprintPrefix(two));
  });
});
