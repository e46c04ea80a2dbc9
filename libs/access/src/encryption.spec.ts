import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallEncryption } from './encryption.js';
import { callerKey } from './caller-key.js';

const bytes = randomBytes(32);
const encryption = new CallEncryption(callerKey(bytes));

describe('the encryption of calls', () => {
  it('opens what whoever has the same key has encrypted, each time in another way', () => {
    const there = new CallEncryption(callerKey(bytes));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (plain) => {
        const encrypted = encryption.encrypt(plain, 'input req_1');
        expect(there.decrypt(encrypted, 'input req_1')).toEqual(Buffer.from(plain));
        expect(encryption.encrypt(plain, 'input req_1')).not.toEqual(encrypted);
        if (plain.length > 8) expect(encrypted.includes(Buffer.from(plain))).toBe(false);
      }),
    );
  });

  it('is made with the first of two keys, and opened with either', () => {
    const newer = randomBytes(32);
    const during = new CallEncryption(callerKey(newer, bytes));
    const after = new CallEncryption(callerKey(newer));
    const [plain, context] = [Buffer.from('a password'), 'input req_1'];
    expect(during.decrypt(encryption.encrypt(plain, context), context)).toEqual(plain);
    expect(during.decrypt(after.encrypt(plain, context), context)).toEqual(plain);
    expect(after.decrypt(during.encrypt(plain, context), context)).toEqual(plain);
    expect(encryption.decrypt(during.encrypt(plain, context), context)).toBeNull();
  });

  it('decrypts nothing else: no other message, key, or byte, and nothing that is cut', () => {
    const encrypted = encryption.encrypt(Buffer.from('a password'), 'input req_1');
    expect(encryption.decrypt(encrypted, 'input req_2')).toBeNull();
    expect(
      new CallEncryption(callerKey(randomBytes(32))).decrypt(encrypted, 'input req_1'),
    ).toBeNull();
    for (let at = 0; at < encrypted.length; at += 1) {
      const altered = Buffer.from(encrypted);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(encryption.decrypt(altered, 'input req_1')).toBeNull();
      expect(encryption.decrypt(encrypted.subarray(0, at), 'input req_1')).toBeNull();
    }
  });
});
