import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './child.mjs';
import { plan, table } from './faults.mjs';
import { scenarios } from './scenarios.mjs';

describe('the scenarios of faults', () => {
  it('are 28, and each is judged by files that there are', () => {
    expect(Object.keys(scenarios)).toHaveLength(28);
    const files = Object.values(scenarios).flatMap(({ runs }) => runs.map(({ file }) => file));
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('are injected under the names that they have', () => {
    const patterns = Object.values(scenarios).flatMap(({ runs }) => runs.map((run) => run.pattern));
    const injected = patterns.map((one) => /^is whole after (.*)\$$/.exec(one ?? '')?.[1]);
    const places = ['one-fault.spec.ts', 'injections.ts'].map((file) =>
      readFileSync(join(root, 'apps/e2e/src/faults', file), 'utf8'),
    );
    const known = (name) => places.some((text) => text.includes(name.replace(/^kill-.*/, 'kill-')));
    expect(injected.filter((name) => name && !known(name))).toEqual([]);
  });

  it('run in one process with one seed, and with --cluster all of them', () => {
    expect(plan(undefined, 1, false).every(({ topology }) => topology === 'process')).toBe(true);
    const whole = plan(undefined, 3, true);
    expect(new Set(whole.map(({ scenario }) => scenario)).size).toBe(28);
    expect(whole.filter(({ scenario }) => scenario === 'lock-held')).toHaveLength(6);
    expect(plan('kill-mcp', 1, false)).toEqual([
      { scenario: 'kill-mcp', topology: 'cluster', seed: 1 },
    ]);
  });

  it('are a row each, which says what did not pass', () => {
    const [one, other] = plan('lock-held', 2, false);
    const text = table([
      { ...one, outcome: 'passed', seconds: 40 },
      { ...other, outcome: 'FAILED', seconds: 2 },
    ]);
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain('1 of 2, 42 s, FAILED');
  });
});
