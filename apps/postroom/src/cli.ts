import { commands, runCommand, UsageError, usageOf } from './commands/index.js';
import { environment } from './config.js';

const ending = new AbortController();
process.once('SIGINT', () => ending.abort());
const print = (line: string): void => void process.stdout.write(`${line}\n`);

runCommand(commands, process.argv.slice(2), {
  env: environment(),
  print,
  signal: ending.signal,
}).then(
  (text) => process.stdout.write(text),
  (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== '') process.stderr.write(`${reason}\n`);
    if (error instanceof UsageError) {
      process.stderr.write(usageOf(error.command ? [error.command] : commands));
    }
    process.exit(1);
  },
);
