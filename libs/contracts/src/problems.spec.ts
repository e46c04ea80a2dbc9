import { describe, expect, it } from '@jest/globals';
import { expectGolden } from './testing/golden.js';
import { invalidField, isProblemCode, Problem, problemFacts, problems } from './problems.js';

const codes = Object.keys(problems).filter(isProblemCode);

describe('the problems', () => {
  it.each(codes)('%s has an error status and a sentence in both languages', (code) => {
    const { status, fr, en } = problemFacts(code);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(fr).toMatch(/^[A-ZÀ-Ý].+\.$/);
    expect(en).toMatch(/^[A-Z].+\.$/);
  });

  it.each(codes)('%s is retryable when its status says so', (code) => {
    const { status, retryable } = problemFacts(code);
    if (status === 429 || status === 503) expect(retryable).toBe(true);
    if (status < 409) expect(retryable).toBeUndefined();
  });

  it('know no code outside the catalogue, not even a property of every object', () => {
    for (const text of ['NO_SUCH_CODE', 'constructor', '__proto__', '']) {
      expect(isProblemCode(text)).toBe(false);
    }
  });

  it('are thrown with their status, the fields at fault and the cause', () => {
    const cause = new Error('foreign');
    const problem = new Problem('MAILBOX_EXISTS', { cause, headers: { allow: 'GET' } });
    expect(problem).toMatchObject({
      status: 409,
      violations: [],
      headers: { allow: 'GET' },
      cause,
    });
    expect(invalidField('until', 'trop tôt', 'too early')).toMatchObject({
      code: 'INVALID_REQUEST',
      status: 400,
      violations: [{ field: 'until', message: { fr: 'trop tôt', en: 'too early' } }],
    });
  });

  it('are what their golden file says', () => {
    const lines = codes.map((code) => {
      const { status, fr, en, retryable } = problemFacts(code);
      return `${code} | ${status}${retryable ? ' retryable' : ''} | ${fr} | ${en}`;
    });
    expectGolden('problems.txt', `${lines.join('\n')}\n`);
  });
});
