import { parseArgs } from 'node:util';

/** The parsed arguments of a command. */
export interface CommandLine {
  /** The positional arguments. */
  readonly rest: readonly string[];
  /** `--name value`, by name. */
  readonly options: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
}

/** One of the operator's commands. */
export interface Command {
  /** Its name on the command line. */
  readonly words: readonly string[];
  readonly usage: string;
  /** Settings that a job which runs it is given, beside those of every command. */
  readonly needs?: readonly ('DATABASE_URL' | 'SECRETS_KEYS' | 'AUDIT_KEY')[];
  /**
   * @returns the lines that it prints
   * @throws UsageError when its arguments are wrong
   */
  run(line: CommandLine): Promise<readonly string[]>;
}

/** The arguments of a command are wrong: its usage is printed after the message, which says what is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** The command that they belong to; null while that is not known. */
  command: Command | null = null;

  of(command: Command): this {
    this.command = command;
    return this;
  }
}

/** The usage of every command. */
export const usageOf = (commands: readonly Command[]): string =>
  `Usage:\n${commands.map(({ usage }) => `  ${usage}`).join('\n\n')}\n`;

/** Another program has the same name. */
const notOfTheApi = `
These are the operator’s commands, \`npm run postroom -- …\`. \`postroom\` of @postroom/cli calls the public API.
`;

/**
 * Runs the command that the arguments name.
 *
 * @returns what it prints
 * @throws UsageError when they name none, or are wrong
 */
export async function runCommand(
  commands: readonly Command[],
  args: string[],
  surroundings: Pick<CommandLine, 'env'>,
): Promise<string> {
  if (args.length === 1 && ['help', '--help', '-h'].includes(args[0] ?? ''))
    return usageOf(commands) + notOfTheApi;
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
    ...{ domain: text, workspace: text, mailbox: text, selector: text },
    ...{ url: text, as: text },
    ...{ to: text, from: text, confirm: text, address: text },
  };
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
    return { positionals, options: { ...values } };
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : 'unknown option', { cause });
  }
}
