import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { Command } from 'commander';
import { commands } from './generated.js';
import { addTableCommands } from './table-program.js';

/** The words of commands, as a shell takes them apart. */
function wordsOf(lines: readonly string[]): readonly string[][] {
  const script = lines.map((line) => `printf '%s\\0' ${line}; printf '\\1'`).join('\n');
  const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  return stdout.split('\u0001').map((one) => one.split('\0').slice(0, -1));
}

it('each example is a command that there is', async () => {
  const run: string[] = [];
  const program = new Command('postroom');
  addTableCommands(program, async ({ family, name }) => void run.push(`${family}.${name}`));
  for (const group of program.commands)
    for (const one of group.commands) one.exitOverride().configureOutput({ writeErr: () => {} });
  const faults: string[] = [];
  for (const [, ...words] of wordsOf(commands.map(({ example }) => example)).slice(0, -1))
    await program
      .parseAsync(words, { from: 'user' })
      .catch((error: unknown) => faults.push(`${words.join(' ')}: ${String(error)}`));
  expect(faults).toEqual([]);
  expect(run).toEqual(commands.map(({ family, name }) => `${family}.${name}`));
});
