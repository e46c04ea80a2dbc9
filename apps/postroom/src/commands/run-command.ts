import { parseArgs } from 'node:util';
import { type Command, type CommandLine, UsageError } from './command.js';

/** How every command is used. */
export const usageOf = (commands: readonly Command[]): string =>
  `Usage:\n${commands.map(({ usage }) => `  ${usage}`).join('\n\n')}\n`;

/**
 * Runs the command that the arguments name.
 *
 * @returns what it prints
 * @throws UsageError when they name none, or are wrong
 */
export async function runCommand(
  commands: readonly Command[],
  args: string[],
  surroundings: Pick<CommandLine, 'env' | 'print' | 'signal'>,
): Promise<string> {
  if (args.length === 1 && ['help', '--help', '-h'].includes(args[0] ?? ''))
    return usageOf(commands);
  const { positionals, options } = parse(args);
  const command = commands.find(({ words }) => words.every((word, at) => positionals[at] === word));
  if (!command) throw new UsageError();
  const rest = positionals.slice(command.words.length);
  const lines = await ran(command, { rest, options, ...surroundings });
  return lines.map((line) => `${line}\n`).join('');
}

/** @throws UsageError that says whose usage it is */
async function ran(command: Command, line: CommandLine): Promise<readonly string[]> {
  try {
    return await command.run(line);
  } catch (error) {
    throw error instanceof UsageError ? error.of(command) : error;
  }
}

function parse(args: string[]): { positionals: string[]; options: Record<string, string> } {
  const text = { type: 'string' } as const;
  const options = {
    ...{ name: text, admin: text, 'admin-name': text, 'time-zone': text, since: text },
    ...{ domain: text, workspace: text },
    ...{ url: text, as: text, state: text, comment: text },
    ...{ forward: text, key: text, types: text },
    ...{ to: text, from: text, confirm: text },
  };
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
    return { positionals, options: { ...values } };
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : 'unknown option', { cause });
  }
}
