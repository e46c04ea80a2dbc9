import { Argument, Command } from 'commander';
import { completions, scripts } from './completion.js';
import { askSecret, baseUrl, keep } from './config.js';
import { exitCodes, UsageError } from './failures.js';
import { commands, eventTypes } from './generated.js';
import { followEvents, listen } from './listen.js';
import { clientOf, runTableCommand, type Surroundings } from './run-command.js';
import { addApprovals, addSettings } from './settings.js';
import { addTableCommands } from './table-program.js';

/** The program; `end` is told what it ends with, where that is not 0. */
export function programOf(surroundings: Surroundings, end: (code: number) => void): Command {
  const program = new Command('postroom')
    .description(
      'Postroom’s public API. The programs of those who operate a deployment are others.',
    )
    .option(
      '--url <address>',
      'The API, with /public; POSTROOM_URL, what login kept, or the demo otherwise.',
    )
    .option('--json', 'Print JSON.')
    .option('--jsonl', 'Print a line of JSON for each item.')
    .option('--quiet', 'Print ids alone.')
    .option('--lang <language>', 'Of the messages of errors: en or fr.', 'en')
    .showHelpAfterError('(--help says more)')
    .configureHelp({ showGlobalOptions: true });
  const groups = addTableCommands(program, async (command, args, options) => {
    end(await runTableCommand(command, args, options, surroundings));
  });
  const approvals = groups.get('approvals');
  if (approvals) addApprovals(approvals, surroundings);
  groups
    .get('events')
    ?.option('--follow', 'Print events as they come.')
    .option('--types <types>', 'Event types, separated by commas.')
    .option('--after <event>', 'Go on after this event.')
    .action((options: { readonly follow?: true }, group: Command) => {
      if (!options.follow) throw new UsageError('Say `events list`, or `events --follow`.');
      return followEvents(group.optsWithGlobals(), surroundings);
    });
  addSettings(program, surroundings);
  addOwn(program, surroundings);
  return program;
}

/** Adds the commands that are no operation of the table. */
function addOwn(program: Command, surroundings: Surroundings): void {
  const { env, terminal, note } = surroundings;
  program
    .command('login')
    .description(
      'Keeps a key, which is asked for and tried, in a file that its owner alone can read.',
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals();
      const url = await baseUrl(env, options['url'] as string | undefined);
      const apiKey = await askSecret(`Key for ${url}: `, 'POSTROOM_API_KEY');
      if (!/^pr_\w+$/.test(apiKey)) throw new UsageError('That is no key: it begins with pr_.');
      const client = await clientOf({ ...env, POSTROOM_API_KEY: apiKey }, options);
      await client.me.get({});
      note(`Kept in ${await keep(env, { url, apiKey })}.`);
    });
  program
    .command('listen')
    .description('Posts events to a local address as webhooks, signed with a secret of its own.')
    .requiredOption('--forward <address>', 'An address of this machine.')
    .option('--types <types>', 'Event types, separated by commas.')
    .option('--after <event>', 'Go on after this event.')
    .action((_options, command: Command) => listen(command.optsWithGlobals(), surroundings));
  program
    .command('trigger')
    .description('Causes an event, for trying a receiver.')
    .argument('<event type>', 'integration.test')
    .action((type: string, _options, command: Command) => trigger(type, command, surroundings));
  program
    .command('completion')
    .description('Prints the completion script of a shell.')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .action((shell: string) => terminal.write(scripts[shell] ?? ''));
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      for (const one of completions(program, words)) terminal.write(`${one}\n`);
    });
}

async function trigger(type: string, command: Command, { env, note }: Surroundings): Promise<void> {
  if (!eventTypes.includes(type)) throw new UsageError(`There is no event type ${type}.`);
  if (type !== 'integration.test') {
    const causes = commands.filter(({ emits }) => emits?.includes(type));
    const how = causes.map(({ family, name }) => `${family} ${name}`).join(', ');
    const hint = how === '' ? 'No call of the public API causes it.' : `It is caused by: ${how}.`;
    throw new UsageError(`Only integration.test is caused for trying. ${type}: ${hint}`);
  }
  const client = await clientOf(env, command.optsWithGlobals());
  const written = await client.webhooks.test();
  if (written.approvalRequired) {
    note(`It waits for a person: ${written.approval.id}.`);
    process.exitCode = exitCodes.waiting;
  } else note(`${type} ${written.answer.event.id}`);
}
