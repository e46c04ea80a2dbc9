import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallSeal } from './call-seal.js';
import { callerKey } from './signature.js';

const bytes = randomBytes(32);
const seal = new CallSeal(callerKey(bytes));

describe('the seal of calls', () => {
  it('opens what whoever has the same key has sealed, each time in another way', () => {
    const there = new CallSeal(callerKey(bytes));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (plain) => {
        const sealed = seal.seal(plain, 'input req_1');
        expect(there.open(sealed, 'input req_1')).toEqual(Buffer.from(plain));
        expect(seal.seal(plain, 'input req_1')).not.toEqual(sealed);
        if (plain.length > 8) expect(sealed.includes(Buffer.from(plain))).toBe(false);
      }),
    );
  });

  it('opens nothing else: no other message, key, or byte, and nothing that is cut', () => {
    const sealed = seal.seal(Buffer.from('a password'), 'input req_1');
    expect(seal.open(sealed, 'input req_2')).toBeNull();
    expect(new CallSeal(callerKey(randomBytes(32))).open(sealed, 'input req_1')).toBeNull();
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(seal.open(altered, 'input req_1')).toBeNull();
      expect(seal.open(sealed.subarray(0, at), 'input req_1')).toBeNull();
    }
  });
});
