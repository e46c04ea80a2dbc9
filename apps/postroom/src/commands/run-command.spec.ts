import { describe, expect, it } from '@jest/globals';
import { runCommand, UsageError, usageOf } from './run-command.js';
import { commands } from './index.js';

describe('postroom', () => {
  const create = ['workspace', 'create', '--name', 'x', '--admin', 'a@b.test'];

  it.each([
    ['nothing', []],
    ['no name', ['workspace', 'create', '--admin', 'a@b.test']],
    ['a long name', ['workspace', 'create', '--name', 'x'.repeat(81), '--admin', 'a@b.test']],
    ['no address', ['workspace', 'create', '--name', 'x', '--admin', 'someone']],
    ['an option nobody knows', ['workspace', 'create', '--colour', 'red']],
    ['a time zone that is none', [...create, '--time-zone', 'Mars/Olympus']],
    ['an offset for a time zone', [...create, '--time-zone', '+02:00']],
    ['a word too many', ['workspace', 'create', 'x', '--name', 'x', '--admin', 'a@b.test']],
    ['another command', ['workspace', 'delete', '--name', 'x', '--admin', 'a@b.test']],
  ])('shows how it is used: %s', async (_name, args) => {
    await expect(runCommand(commands, args, { env: {} })).rejects.toThrow(UsageError);
  });

  it('shows how it is used when it is asked', async () => {
    const usage = usageOf(commands);
    for (const asked of ['help', '--help', '-h']) {
      const printed = await runCommand(commands, [asked], { env: {} });
      expect(printed).toMatch(/`postroom` of @postroom\/cli calls the public API\.\n$/);
      expect(printed.startsWith(usage)).toBe(true);
    }
    expect(usage).toMatch(/^Usage:\s+postroom workspace create/);
    expect(usage).toMatch(/postroom dead-letters replay/);
  });
});
