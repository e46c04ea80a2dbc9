import { describe, expect, it } from '@jest/globals';
import { trimmed } from './answered-thread.js';
import { fingerprintOf, messageIdOf, newMessage, reply } from './send-request.js';

const given = {
  ...{ mailbox: 'support@acme.test', to: [{ email: 'a@b.example', name: null }], cc: [], bcc: [] },
  ...{ subject: 'Hello', body: 'It works.', attachments: [] },
};
const file = { contentBase64: 'QUJD', filename: 'a.txt', mimeType: null };
const sha256 = 'b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78';

describe('the fingerprint of a send', () => {
  it('is of what leaves, not of its route, its order of fields or its token', () => {
    const id = 'cnv_1';
    const onPath = fingerprintOf(reply({ ...given, id }));
    const { mailbox, ...rest } = given;
    expect(fingerprintOf(newMessage({ threadId: id, ...rest, mailbox }))).toBe(onPath);
    const confirmed = { ...given, id, dlpWarningToken: 'dlp_x' };
    expect(fingerprintOf(reply(confirmed))).toBe(onPath);
  });

  it('is of the bytes of files, wherever they are', () => {
    const inBody = fingerprintOf(newMessage({ ...given, attachments: [file] }));
    const contentBase64 = { reference: 'somewhere', size: 3, sha256 };
    const apart = { ...file, contentBase64 };
    expect(fingerprintOf(newMessage({ ...given, attachments: [apart] }))).toBe(inBody);
  });

  it.each([
    { mailbox: 'sales@acme.test' },
    { to: [{ email: 'a@b.example', name: 'Ann' }] },
    { cc: given.to },
    { bcc: given.to },
    { subject: 'Hello!' },
    { body: 'It works!' },
    { threadId: 'cnv_1' },
    { inReplyTo: 'msg_1' },
    { priority: 'high' as const },
    { signatureId: 'sig_1' },
    { attachments: [file] },
  ])('is another where %j', (change) => {
    expect(fingerprintOf(newMessage({ ...given, ...change }))).not.toBe(
      fingerprintOf(newMessage(given)),
    );
  });
});

describe('the Message-ID of a send', () => {
  const key = new Uint8Array(32);

  it('is the same for the same key of the same mailbox, and no other’s', () => {
    const id = messageIdOf(key, 'ten_1', 'support@acme.test', 'a key of mine');
    expect(id).toMatch(/^pr\.[0-9a-f]{40}@acme\.test$/);
    expect(messageIdOf(key, 'ten_1', 'support@acme.test', 'a key of mine')).toBe(id);
    for (const [tenant, mailbox, idempotencyKey] of [
      ['ten_2', 'support@acme.test', 'a key of mine'],
      ['ten_1', 'sales@acme.test', 'a key of mine'],
      ['ten_1', 'support@acme.test', 'another key'],
    ] as const) {
      expect(messageIdOf(key, tenant, mailbox, idempotencyKey)).not.toBe(id);
    }
  });

  it('has its domain as headers have it', () => {
    expect(messageIdOf(key, 'ten_1', 'a@münchen.example', 'k')).toMatch(
      /@xn--mnchen-3ya\.example$/,
    );
  });
});

describe('trimmed', () => {
  it('keeps the first reference and the newest, within 20 and 4,000 characters', () => {
    const many = Array.from({ length: 30 }, (_, i) => `m${i}`);
    expect(trimmed(many)).toEqual(['m0', ...many.slice(-19)]);
    expect(trimmed(['a', 'b', 'a'])).toEqual(['a', 'b']);
    expect(trimmed([])).toEqual([]);
    const long = Array.from({ length: 6 }, (_, i) => `${i}`.repeat(998));
    const kept = trimmed(long);
    expect(kept[0]).toBe(long[0]);
    expect(kept.slice(1)).toEqual(long.slice(1 - kept.length));
    expect(kept.join(' ').length).toBeLessThan(4_000);
  });
});
