import { Argument, Command, Option } from 'commander';
import { commands } from './generated.js';
import { kebab, type TableCommand, type TableOption } from './table-command.js';

/** Runs a command of the table with what was typed. */
export type Run = (
  command: TableCommand,
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<void>;

/** Adds the commands of the table, a group for each family. @returns the groups by name */
export function addTableCommands(program: Command, run: Run): ReadonlyMap<string, Command> {
  const groups = new Map<string, Command>();
  for (const command of commands) {
    const name = kebab(command.family);
    const group = groups.get(name) ?? program.command(name).description(familyOf(command.family));
    groups.set(name, group);
    group.addCommand(made(command, run));
  }
  return groups;
}

const familyOf = (family: string): string =>
  commands
    .filter((one) => one.family === family)
    .map(({ name }) => kebab(name))
    .join(', ');

function made(command: TableCommand, run: Run): Command {
  const { name, summary, places, options, scope, isPaged, effect, isFile, example } = command;
  const made = new Command(kebab(name)).summary(summary);
  made.description(scope === undefined ? `${summary}.` : `${summary}. Scope: ${scope}.`);
  for (const { name: place, about } of places)
    made.addArgument(new Argument(`<${kebab(place)}>`, about));
  options.flatMap(optionsOf).forEach((option) => made.addOption(option));
  if (isPaged) made.option('--limit <number>', 'Pages are fetched until there are so many.', '25');
  if (effect)
    made.option('--idempotency-key <key>', 'Names the write, to repeat it safely; one is made.');
  if (effect === 'send') {
    made.option('--yes', 'Do not ask before it leaves.');
    made.option('--confirm', 'Send although data-loss prevention warns.');
  }
  if (isFile) made.option('--output <file>', 'Where to store it; to standard output otherwise.');
  made.addHelpText('after', `\nExample:\n  ${example}`);
  return made.action(async (...given: unknown[]) => {
    const typed = given.at(-1) as Command;
    await run(command, typed.args, typed.optsWithGlobals());
  });
}

function optionsOf(field: TableOption): Option[] {
  const { name, kind, about } = field;
  const flag = `--${kebab(name)}`;
  if (kind === 'files')
    return [new Option('--attach <file>', 'A file to attach; may be repeated.').argParser(gather)];
  if (kind === 'flag')
    return [new Option(flag, about), new Option(`--no-${kebab(name)}`, 'The opposite.').hideHelp()];
  if (name !== 'body') return [valued(flag, field)];
  const file = new Option('--body-file <file>', 'The body, in a file; `-` reads it.');
  return [valued(flag, { ...field, isRequired: false }), file];
}

function valued(
  flag: string,
  { kind, about, isRequired, isNullable, choices }: TableOption,
): Option {
  const notes = [
    about,
    isRequired && 'Required.',
    isNullable && '`null` clears it.',
    kind === 'list' && 'May be repeated.',
  ];
  const option = new Option(
    `${flag} <${kind === 'list' ? 'text' : kind}>`,
    notes.filter(Boolean).join(' '),
  );
  if (kind === 'list') option.argParser(gather);
  if (choices) option.choices(choices);
  return isRequired ? option.makeOptionMandatory() : option;
}

const gather = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];
