import type { Command } from 'commander';

/** The words that may stand in the place of the last one, which is being typed. */
export function completions(program: Command, typed: readonly string[]): readonly string[] {
  const begun = typed.at(-1) ?? '';
  let command = program;
  for (const word of typed.slice(0, -1))
    command = command.commands.find((one) => one.name() === word) ?? command;
  const before = command.options.find((one) => one.long === typed.at(-2));
  const values = before?.argChoices ?? [];
  const options = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? '');
  const names = command.commands.map((one) => one.name());
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const words = [...names, ...choices];
  const found = values.length > 0 ? values : begun.startsWith('-') ? options : words;
  return found.filter((one) => one.startsWith(begun));
}

/** The script of a shell that asks the program itself. */
export const scripts: Readonly<Record<string, string>> = {
  bash: `_postroom() { mapfile -t COMPREPLY < <(postroom complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); }
complete -o default -F _postroom postroom
`,
  zsh: `#compdef postroom
_postroom() { local -a found; found=("\${(@f)$(postroom complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"); compadd -a found; }
compdef _postroom postroom
`,
  fish: `complete -c postroom -f -a '(postroom complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};
