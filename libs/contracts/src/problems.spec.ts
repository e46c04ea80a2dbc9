import { describe, expect, it } from '@jest/globals';
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
});
