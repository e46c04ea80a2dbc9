import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redactLine } from './redact.js';

const names = ['authorization', 'X-Api-Key', 'cookie', 'set-cookie', 'password', 'apiKey', 'token'];
const hidden = 'the one secret';

describe('a log line', () => {
  it('shows no field that is named like a secret, at any depth, and stays JSON', () => {
    const secret = fc.string({ unit: 'binary' }).map((text) => hidden + text);
    const field = fc.tuple(fc.constantFrom(...names), fc.oneof(secret, fc.array(secret)));
    fc.assert(
      fc.property(fc.jsonValue(), field, fc.string(), (value, [name, kept], outer) => {
        const line = JSON.stringify({ msg: 'x', [`_${outer}`]: [{ [name]: kept, value }] });
        const redacted = redactLine(line);
        expect(redacted).not.toContain(hidden);
        expect(() => void JSON.parse(redacted)).not.toThrow();
      }),
    );
  });

  it.each([
    ['an API key', `pr_human_01J8ZQ4YV6X7W8N5T3R2Q1P0MK_${'a'.repeat(49)}`, 'a'.repeat(49)],
    ['a webhook secret', 'whsec_c2VjcmV0c2VjcmV0+/c2VjcmV0=', 'c2Vj'],
    ['a session cookie', 'a=b; postroom_session=SESSIONTOKEN; c=d', 'SESSIONTOKEN'],
    ['a bearer token', 'Authorization: Bearer eyJ.abc-_~.x', 'eyJ'],
    ['credentials in a URL', 'connect postgres://postroom:hunter2@localhost:5432/x', 'hunter2'],
  ])('shows no %s inside a message', (_what, text, secret) => {
    const redacted = redactLine(JSON.stringify({ msg: `failed: ${text}.` }));
    expect(redacted).not.toContain(secret);
    expect(redacted).toContain('[redacted]');
    expect(JSON.parse(redacted)).toHaveProperty('msg');
  });

  it('keeps everything else as it is', () => {
    const line = JSON.stringify({
      level: 'info',
      operation: 'mail.drafts.create',
      pageToken: null,
      to: 'someone@example.org',
      url: 'https://example.org/a@b',
      msg: 'said "password" twice',
    });
    expect(redactLine(line)).toBe(line);
  });
});
