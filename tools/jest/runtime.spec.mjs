import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../run/child.mjs';

const program = join(root, 'node_modules/jest/bin/jest.js');
const config = join(import.meta.dirname, 'fixtures/jest.config.mjs');

/** Jest's results for the fixtures: by file, the tests and their outcomes. */
async function outcomes() {
  const run = promisify(execFile)(process.execPath, [program, '-c', config, '--json']);
  const { code, stdout } = await run.catch((error) => error);
  const files = JSON.parse(stdout).testResults.map(({ name, assertionResults, message }) => [
    name.split('/').at(-1),
    { message, tests: assertionResults.map(({ fullName, status }) => `${status}: ${fullName}`) },
  ]);
  return { code, files: Object.fromEntries(files) };
}

describe('a run of Jest', () => {
  let run;
  beforeAll(async () => {
    run = await outcomes();
  });

  it('fails', () => expect(run.code).toBe(1));

  it('tells each test that failed from those that passed', () => {
    expect(run.files['failing.mjs'].tests).toEqual([
      'failed: expects what is not so',
      'failed: leaves a rejection to nobody',
      'failed: throws when nobody waits',
      'failed: takes longer than it may',
      'failed: is not three: 1',
      'failed: is not three: 2',
      'failed: counts too few assertions',
      'failed: calls what it did not expect',
      'passed: passes',
      'pending: is skipped',
      'failed: after a hook that failed does not pass',
    ]);
  });

  it('shows the line of a test that failed', () => {
    expect(run.files['failing.mjs'].message).toMatch(/fixtures\/failing[.]mjs:5:22/);
  });

  it('fails a file that cannot be loaded', () => {
    expect(run.files['unloadable.mjs']).toMatchObject({ tests: [] });
    expect(run.files['unloadable.mjs'].message).toContain("export named 'missing'");
  });

  it('loads a module once, and gives each file the process as it was', () => {
    const names = ['one.mjs', 'two.mjs'].flatMap((name) => run.files[name].tests).sort();
    expect(names).toEqual([
      'passed: finds no setting of another file',
      'passed: finds no setting of another file',
      'passed: finds the clock that the process has',
      'passed: finds the clock that the process has',
      'passed: is file 1 of this process',
      'passed: is file 2 of this process',
    ]);
  });
});
