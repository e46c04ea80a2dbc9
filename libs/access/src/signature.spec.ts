import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callerKey, readCallerKey } from './caller-key.js';
import {
  signCaller,
  signReply,
  verifyCaller,
  verifyReply,
  type SignedRequest,
  type SignedReply,
} from './signature.js';

const key = callerKey(randomBytes(32));
const parts: SignedRequest = {
  caller: '{"tenant":"ten_1","key":"key_1"}',
  operation: 'mail.conversations.archive',
  input: Buffer.from('{"id":"cnv_1"}'),
  id: 'req_1',
  deadlineMs: 1_790_000_000_000,
  idempotencyKey: 'a-key-of-a-caller',
  preview: true,
  references: '{"unknown":[{"field":"assignee","name":"ada@acme.test"}]}',
  replyTo: 'postroom.replies.one',
};

const anyParts = fc.record({
  caller: fc.string({ maxLength: 8 }),
  operation: fc.string({ maxLength: 8 }),
  input: fc.string({ maxLength: 8 }).map((text) => Buffer.from(text)),
  id: fc.string({ maxLength: 8 }),
  deadlineMs: fc.nat(),
  idempotencyKey: fc.option(fc.string({ maxLength: 8 })),
  preview: fc.boolean(),
  references: fc.option(fc.string({ maxLength: 8 })),
  replyTo: fc.option(fc.string({ maxLength: 8 })),
});

describe('the signature of a caller', () => {
  it('verifies for what was signed', () => {
    fc.assert(
      fc.property(anyParts, (signed) => {
        expect(verifyCaller(key, signed, signCaller(key, signed))).toBe(true);
      }),
    );
  });

  it('does not verify for any other parts', () => {
    fc.assert(
      fc.property(anyParts, anyParts, (signed, other) => {
        fc.pre(JSON.stringify(signed) !== JSON.stringify(other));
        expect(verifyCaller(key, other, signCaller(key, signed))).toBe(false);
      }),
    );
  });

  it('differs however texts that look like the encoding are split between neighbours', () => {
    const units = ['', '1', ':', ' ', '\n'];
    const texts = [...new Set(units.flatMap((one) => units.map((two) => one + two)))];
    const signatures = texts.flatMap((caller) =>
      texts.map((operation) => signCaller(key, { ...parts, caller, operation })),
    );
    expect(new Set(signatures).size).toBe(texts.length ** 2);
  });

  it('does not verify with one part changed', () => {
    const signature = signCaller(key, parts);
    const changes: Partial<SignedRequest>[] = [
      { caller: parts.caller.replace('ten_1', 'ten_2') },
      { operation: 'mail.conversations.trash' },
      { input: Buffer.from('{"id":"cnv_2"}') },
      { id: 'req_2' },
      { deadlineMs: parts.deadlineMs + 1 },
      { idempotencyKey: 'another-key' },
      { idempotencyKey: null },
      { preview: false },
      { references: null },
      { references: '{"unknown":[]}' },
      { replyTo: 'postroom.replies.two' },
      { replyTo: null },
    ];
    for (const change of changes) {
      expect(verifyCaller(key, { ...parts, ...change }, signature)).toBe(false);
    }
  });

  it('does not verify under the key of another service', () => {
    const other = callerKey(randomBytes(32));
    expect(verifyCaller(other, parts, signCaller(key, parts))).toBe(false);
  });

  it('refuses any other text as a signature', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: 'binary' }), (text) => {
        expect(verifyCaller(key, parts, text)).toBe(false);
      }),
    );
  });

  it('takes no key that is shorter than 32 bytes', () => {
    expect(() => callerKey(randomBytes(31))).toThrow('at least 32 bytes');
    expect(() => callerKey(randomBytes(32), randomBytes(31))).toThrow('at least 32 bytes');
    expect(() => readCallerKey(`${randomBytes(32).toString('base64')},`)).toThrow('32 bytes');
  });

  it('is made with the first of two keys, and verifies with either', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)].map((bytes) =>
      bytes.toString('base64'),
    );
    const [before, during, after] = [older, `${newer},${older}`, newer].map((setting = '') =>
      readCallerKey(setting),
    );
    if (!before || !during || !after) throw new Error('three keys');
    expect(verifyCaller(during, parts, signCaller(before, parts))).toBe(true);
    expect(verifyCaller(during, parts, signCaller(after, parts))).toBe(true);
    expect(verifyCaller(after, parts, signCaller(during, parts))).toBe(true);
    expect(verifyCaller(before, parts, signCaller(during, parts))).toBe(false);
    expect(verifyCaller(after, parts, signCaller(before, parts))).toBe(false);
  });
});

describe('the signature of a reply', () => {
  const reply: SignedReply = {
    id: 'req_1',
    status: 200,
    headers: { etag: '1' },
    problem: null,
    body: Buffer.from('{"ok":true}'),
  };
  const anyReply = fc.record({
    id: fc.string({ maxLength: 8 }),
    status: fc.nat(),
    headers: fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 })),
    problem: fc.option(fc.string({ maxLength: 8 })),
    body: fc.string({ maxLength: 8 }).map((text) => Buffer.from(text)),
  });
  const anyStored = fc.option(fc.record({ bodyRef: fc.uuid(), bodyBytes: fc.nat() }));
  const anyAnswer = fc
    .tuple(anyReply, anyStored)
    .map(([reply, stored]) => ({ ...reply, ...stored }));

  it('verifies for what was signed, and for nothing else', () => {
    fc.assert(
      fc.property(anyAnswer, anyAnswer, (signed, other) => {
        const signature = signReply(key, signed);
        expect(verifyReply(key, signed, signature)).toBe(true);
        fc.pre(JSON.stringify(signed) !== JSON.stringify(other));
        expect(verifyReply(key, other, signature)).toBe(false);
      }),
    );
  });

  it('does not verify with one part changed, or under another key', () => {
    const signature = signReply(key, reply);
    const changes: Partial<SignedReply>[] = [
      { id: 'req_2' },
      { status: 201 },
      { headers: { etag: '2' } },
      { problem: 'INTERNAL' },
      { body: Buffer.from('{"ok":false}') },
      { bodyRef: 'a-reference', bodyBytes: 12 },
    ];
    for (const change of changes) {
      expect(verifyReply(key, { ...reply, ...change }, signature)).toBe(false);
    }
    expect(verifyReply(callerKey(randomBytes(32)), reply, signature)).toBe(false);
  });

  it('is not that of a caller, and the other way round', () => {
    expect(verifyReply(key, reply, signCaller(key, parts))).toBe(false);
    expect(verifyCaller(key, parts, signReply(key, reply))).toBe(false);
  });
});
