import { describe, expect, it } from '@jest/globals';
import { readArguments } from './arguments.js';

const lines = ['A1', 'F', 'E-rate', 'E-hanging'];
const wanted = (...args: string[]) => {
  const { isWanted } = readArguments(args, lines);
  return [...lines, 'E'].filter(isWanted);
};

describe('readArguments', () => {
  it('runs eleven rounds of everything unless told otherwise', () => {
    expect(readArguments([], lines)).toMatchObject({ rounds: 11, json: null, profiles: null });
    expect(wanted()).toEqual([...lines, 'E']);
  });

  it.each([
    ['A1,F', ['A1', 'F']],
    ['E', ['E-rate', 'E-hanging', 'E']],
    ['E-rate', ['E-rate', 'E']],
  ])('measures with --only %s the lines %j, and the parts they need', (only, expected) => {
    expect(wanted('--only', only)).toEqual(expected);
  });

  it('takes rounds and a file', () => {
    expect(readArguments(['--rounds', '21', '--json', 'results.json'], lines)).toMatchObject({
      rounds: 21,
      json: 'results.json',
    });
  });

  it.each([
    [['--rounds', '0']],
    [['--rounds', 'many']],
    [['--conversations', 'many']],
    [['--only', 'A1,Z']],
    [['--only', 'E-nothing']],
    [['--unknown']],
    [['A1']],
  ])('refuses %j', (args) => {
    expect(() => readArguments(args, lines)).toThrow();
  });
});
