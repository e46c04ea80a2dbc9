#!/usr/bin/env node
import { CommanderError } from 'commander';
import { environment } from './config.js';
import { endOf, exitCodes } from './failures.js';
import { programOf } from './program.js';

const env = environment();
const ending = new AbortController();
process.once('SIGINT', () => ending.abort());
// A reader that has gone (`| head`) is no failure.
process.stdout.on('error', () => process.exit(0));

const program = programOf(
  {
    env,
    terminal: {
      write: (text) => process.stdout.write(text),
      columns: process.stdout.isTTY ? process.stdout.columns : undefined,
      hasColour: process.stdout.isTTY && (env['NO_COLOR'] ?? '') === '',
    },
    note: (line) => process.stderr.write(`${line}\n`),
    isInteractive: process.stdin.isTTY && process.stderr.isTTY,
    signal: ending.signal,
  },
  (code) => (process.exitCode = code),
).exitOverride();
for (const group of program.commands)
  for (const one of [group, ...group.commands]) one.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
  else {
    const { code, lines } = endOf(error);
    process.stderr.write(`${lines.join('\n')}\n`);
    process.exitCode = code;
  }
}
