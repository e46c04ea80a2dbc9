import { describe, expect, it } from '@jest/globals';
import { readArguments } from './arguments.js';

const known = ['A1', 'A2', 'F'];

describe('readArguments', () => {
  it('runs eleven rounds of everything unless told otherwise', () => {
    expect(readArguments([], known)).toEqual({
      rounds: 11,
      only: null,
      json: null,
      profiles: null,
    });
  });

  it('takes rounds, benches and a file', () => {
    const args = ['--rounds', '21', '--only', 'A1,F', '--json', 'results.json'];
    expect(readArguments(args, known)).toEqual({
      rounds: 21,
      only: ['A1', 'F'],
      json: 'results.json',
      profiles: null,
    });
  });

  it.each([
    [['--rounds', '0']],
    [['--rounds', 'many']],
    [['--only', 'A1,Z']],
    [['--unknown']],
    [['A1']],
  ])('refuses %j', (args) => {
    expect(() => readArguments(args, known)).toThrow();
  });
});
