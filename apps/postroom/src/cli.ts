import { commands, runCommand, UsageError, usageOf } from './commands/index.js';
import { environment } from './config.js';

runCommand(commands, process.argv.slice(2), { env: environment() }).then(
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
