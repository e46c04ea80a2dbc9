import { parseArgs } from 'node:util';
import { commands, UsageError } from './commands/index.js';
import { environment } from './config.js';

const usage = `Usage:\n${commands.map((command) => `  ${command.usage}`).join('\n\n')}\n`;

/** The operator's commands. */
async function main(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  if (args.length === 1 && ['help', '--help', '-h'].includes(args[0] ?? '')) return usage;
  const { positionals, options } = parse(args);
  const command = commands.find(({ words }) => words.every((word, at) => positionals[at] === word));
  if (!command) throw new UsageError();
  const rest = positionals.slice(command.words.length);
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort());
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const lines = await command.run({ rest, options, env, print, signal: ending.signal });
  return lines.map((line) => `${line}\n`).join('');
}

function parse(args: string[]): { positionals: string[]; options: Record<string, string> } {
  const text = { type: 'string' } as const;
  const options = {
    ...{ name: text, admin: text, 'admin-name': text, 'time-zone': text, since: text },
    ...{ url: text, as: text, state: text, comment: text },
    ...{ forward: text, key: text, types: text },
  };
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
    return { positionals, options: { ...values } };
  } catch (cause) {
    throw new UsageError('unknown option', { cause });
  }
}

main(process.argv.slice(2), environment()).then(
  (text) => process.stdout.write(text),
  (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(error instanceof UsageError ? usage : `${reason}\n`);
    process.exit(1);
  },
);
