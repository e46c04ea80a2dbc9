import { describe, expect, it } from '@jest/globals';
import { Problem } from '@postroom/contracts';
import { Expression } from './expression.js';

const refusal = (source: string): Problem => {
  try {
    Expression.parse(source);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`${source} was taken`);
};

describe('an expression', () => {
  it('is found wherever it is in a text', () => {
    const expression = Expression.parse('(?i)projet\\s+[a-z]{3,}-\\d+');
    expect(expression.isIn('Le Projet  Lune-42 avance')).toBe(true);
    expect(expression.isIn('Le projet avance')).toBe(false);
    expect(expression.firstIn('projet abc-1, projet abc-2, projet abc-3', 2)).toEqual([
      'projet abc-1',
      'projet abc-2',
    ]);
  });

  it.each(['(', '[a', 'a{2,1}', '*', 'a(?=b)', '(a)\\1', '\\p{Nonsense}', '(?<!a)b', 'a{1001}'])(
    'that the engine does not know is refused, and says why: %s',
    (source) => {
      const { code, violations } = refusal(source);
      expect(code).toBe('INVALID_REQUEST');
      expect(violations).toMatchObject([
        { field: 'pattern', message: { en: expect.stringContaining('not a valid expression') } },
      ]);
    },
  );

  it.each(['.{0,1000}', '((a{30}){30})', '(?:\\pL{100}\\d?){9}z'])(
    'that would take its time is refused: %s',
    (source) => {
      expect(refusal(source).violations[0]?.message.en).toContain('too complex');
    },
  );

  it.each(['', 'a*', 'x|', '(?:secret)?'])('that every text matches is refused: %s', (source) => {
    expect(refusal(source).violations[0]?.message.en).toContain('every message');
  });

  it('that would keep a backtracking engine for ever is done with a megabyte at once', () => {
    const text = 'a'.repeat(1_048_576);
    for (const source of ['(a+)+$b', '(a|aa)+b', '(.*a){12}b', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect(Expression.parse(source).isIn(text)).toBe(false);
    }
  });
});
