import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Pages that people work by; those about security name what is still to come. */
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(`${repository}docs`)
    .filter((name) => name.endsWith('.md') && !['threat-model.md', 'asvs.md'].includes(name))
    .map((name) => `docs/${name}`),
];

/** A command as a page shows it. */
export interface DocumentedCommand {
  readonly page: string;
  readonly text: string;
}

const read = (page: string): string => readFileSync(`${repository}${page}`, 'utf8');

const inSentence = /`((?:npm|postroom)\s[^`]+)`/g;
const fence = /^( *)```(\S*)\n([^]*?)^\1```$/gm;

/** The commands of all blocks marked `sh`, in the order of the pages. */
export const documentedCommands = (): DocumentedCommand[] =>
  pages.flatMap((page) =>
    [...read(page).matchAll(fence)]
      .filter(([, , language]) => language === 'sh')
      .flatMap(([, indent = '', , block = '']) =>
        commandsOf(block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')),
      )
      .map((text) => ({ page, text })),
  );

/** A block that ends itself is one program. */
function commandsOf(block: string): string[] {
  if (/^exit /m.test(block)) return [block];
  const commands: string[] = [];
  let lines = '';
  for (const line of block.split('\n')) {
    lines += lines === '' ? line : `\n${line}`;
    if (lines !== '' && isComplete(lines)) {
      commands.push(lines);
      lines = '';
    }
  }
  return lines === '' ? commands : [...commands, lines];
}

/** True if the shell would run it as it is, and wait for no further line. */
const isComplete = (text: string): boolean =>
  !text.endsWith('\\') && spawnSync('bash', ['-n', '-c', text]).status === 0;

/** Commands that stand within a sentence, of npm or the operator's: each once, on the first page that has it. */
export function mentionedCommands(): DocumentedCommand[] {
  const found = new Map<string, string>();
  for (const page of pages) {
    for (const [, given = ''] of read(page).replaceAll(fence, '').matchAll(inSentence)) {
      const text = given.replaceAll(/\s+/g, ' ');
      found.set(text, found.get(text) ?? page);
    }
  }
  return [...found].map(([text, page]) => ({ text, page }));
}
