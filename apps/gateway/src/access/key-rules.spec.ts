import { describe, expect, it } from '@jest/globals';
import { Problem } from '@postroom/contracts';
import { approvalOf, requireFuture, requireSoundScopes } from './key-rules.js';

const fieldOf = (check: () => unknown): string | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.violations[0]?.field;
    throw error;
  }
};

describe('the scopes of a key', () => {
  it('have no mail:send for an agent, and may have it for a person', () => {
    expect(fieldOf(() => requireSoundScopes('agent', ['read:tasks', 'mail:send']))).toBe('scopes');
    expect(fieldOf(() => requireSoundScopes('agent', ['drafts:write']))).toBeUndefined();
    expect(fieldOf(() => requireSoundScopes('human', ['mail:send']))).toBeUndefined();
  });
});

describe('the approval of a key', () => {
  it.each([
    ['agent', undefined, 'required'],
    ['agent', null, 'required'],
    ['agent', 'required', 'required'],
    ['agent', 'none', 'none'],
    ['human', undefined, null],
    ['human', null, null],
    ['human', 'none', null],
  ] as const)('of an %s, given %s, is %s', (kind, given, approval) => {
    expect(approvalOf(kind, given)).toBe(approval);
  });

  it('is required of no person', () => {
    expect(fieldOf(() => approvalOf('human', 'required'))).toBe('approval');
  });
});

describe('the end of a key', () => {
  const now = new Date('2026-01-05T09:00:00Z');

  it('lies in the future, or is none', () => {
    expect(requireFuture(null, now)).toBeNull();
    expect(requireFuture('2026-01-05T09:00:00.001Z', now)).toEqual(
      new Date('2026-01-05T09:00:00.001Z'),
    );
    for (const past of ['2026-01-05T09:00:00Z', '2025-01-01T00:00:00Z']) {
      expect(fieldOf(() => requireFuture(past, now))).toBe('expiresAt');
    }
  });
});
