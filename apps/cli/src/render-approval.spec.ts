import { describe, expect, it } from '@jest/globals';
import type { ApprovalRequest } from '@postroom/sdk';
import * as fc from 'fast-check';
import { visible } from './output.js';
import { approvalLine, approvalLines, visibleValue } from './render-approval.js';

const hostile = 'Pay\u001b[2K\u202eevil\u200b now\u00a0\r\nok';

const approval = {
  ...{ id: 'apr_1', state: 'pending', operation: 'drafts.create', method: 'POST' },
  ...{ path: '/v1/drafts', summary: hostile, payload: { subject: hostile, to: ['a@b.test'] } },
  ...{ payloadHash: '', target: null, channel: 'rest', idempotencyKey: 'key-number-1' },
  difference: { before: { subject: 'Old' }, after: { subject: hostile } },
  requestedBy: { keyId: 'key_1', name: hostile, client: hostile },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-04T00:00:00.000Z' },
  ...{ decidedBy: null, decidedAt: null, comment: null, result: null, receipt: null },
} as unknown as ApprovalRequest;

describe('an approval on the terminal', () => {
  it('shows field by field what would change, and spells out what cannot be seen', () => {
    const lines = approvalLines(approval);
    expect(lines).toContain('- subject: Old');
    expect(lines).toContain(
      '  client     Pay\\u{1b}[2K\\u{202e}evil\\u{200b} now\\u{a0}\\u{d}\\nok (as it names itself)',
    );
    expect(lines).toContain('+ subject: Pay\\u{1b}[2K\\u{202e}evil\\u{200b} now\\u{a0}\\u{d}\\nok');
  });

  it('has nothing that a terminal would interpret or hide, whatever it is about', () => {
    const one = fc.record({
      summary: fc.string({ unit: 'binary' }),
      name: fc.string({ unit: 'binary' }),
    });
    fc.assert(
      fc.property(one, fc.jsonValue(), ({ summary, name }, value) => {
        const payload = { [name]: value };
        const requestedBy = { keyId: 'key_1', name, client: name };
        const given = { ...approval, summary, payload, requestedBy };
        for (const line of [approvalLine(given), ...approvalLines(given)])
          expect(line).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]*$/u);
      }),
    );
  });

  it('tells a backslash that was written from one that spells something out', () => {
    expect(visible('C:\\new \\u{202e}')).toBe('C:\\\\new \\\\u{202e}');
    expect(visible('\u202e\n')).toBe('\\u{202e}\\n');
    expect(visibleValue({ a: '\\n\n' })).toBe('{"a":"\\\\n\\n"}');
  });

  it('keeps what can be read', () => {
    expect(visible('Facture n° 42 — «été» 🐎 日本')).toBe('Facture n° 42 — «été» 🐎 日本');
  });
});
