import { describe, expect, it } from '@jest/globals';
import { statement } from './statement.js';

describe('a statement', () => {
  it('shares its name with no other, also of the same text', () => {
    statement('statement.spec.two', 'SELECT 2');
    expect(() => statement('statement.spec.two', 'SELECT 2')).toThrow(
      'two statements are named statement.spec.two',
    );
  });

  it('has a name that PostgreSQL does not cut off, which would make two names one', () => {
    const longest = 'x'.repeat(63);
    expect(statement(longest, 'SELECT 3').name).toBe(longest);
    expect(() => statement(`${longest}y`, 'SELECT 4')).toThrow('longer than 63');
  });
});
