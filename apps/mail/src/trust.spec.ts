import { describe, expect, it } from '@jest/globals';
import type { AuthVerdict, MessageTrust } from '@postroom/contracts';
import { trustOf } from './trust.js';

type Verdict = AuthVerdict | null;
type Row = readonly [Verdict, Verdict, Verdict, ...MessageTrust['reasons']];

describe('trust', () => {
  it.each<Row>([
    [null, null, null],
    ['pass', 'pass', 'pass'],
    ['none', 'pass', 'pass'],
    ['none', 'none', 'none', 'auth_missing'],
    ['none', 'none', 'fail', 'auth_failed'],
    ['none', 'pass', 'fail', 'auth_failed'],
    ['pass', 'pass', 'permerror', 'auth_failed'],
    ['fail', 'none', 'none', 'auth_failed'],
    // A forwarder’s address is not the sender’s; the signature is.
    ['fail', 'pass', 'none'],
    ['softfail', 'none', 'none'],
    ['neutral', 'neutral', 'none'],
    // A failed look-up is no sign against the sender.
    ['temperror', 'temperror', 'temperror'],
    ['none', 'temperror', 'temperror'],
    ['none', 'none', 'temperror'],
  ])('says of SPF %s, DKIM %s, DMARC %s what speaks against it', (spf, dkim, dmarc, ...reasons) => {
    const level = reasons.length > 0 ? 'caution' : 'ordinary';
    expect(trustOf([], { spf, dkim, dmarc })).toEqual({ level, reasons });
  });

  it.each([
    ['lookalike_domain', 'none', 'caution'],
    ['lookalike_domain', 'fail', 'hostile'],
    ['hidden_text', 'fail', 'hostile'],
    ['instructions', 'pass', 'hostile'],
  ] as const)('with %s and DMARC %s is %s', (suspicion, dmarc, level) => {
    const [spf, dkim] =
      dmarc === 'pass' ? (['pass', 'pass'] as const) : (['none', 'none'] as const);
    expect(trustOf([suspicion], { spf, dkim, dmarc }).level).toBe(level);
  });
});
