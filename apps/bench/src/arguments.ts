import { parseArgs } from 'node:util';

/** The arguments of the command line. */
export interface Arguments {
  readonly rounds: number;
  /** True of a line that is to be measured, and of a part that has such a line. */
  readonly isWanted: (id: string) => boolean;
  /** Conversations of the larger mailbox of bench G. */
  readonly conversations: number;
  /** File that the results are written to. */
  readonly json: string | null;
  /** Folder that each server's CPU profile is written to. */
  readonly profiles: string | null;
}

export const usage = `Usage: npm run bench -- [--rounds N] [--only A1,E-rate] [--json FILE] [--profiles FOLDER]
       npm run bench -- compare OLD NEW
       npm run bench -- readme FILE…

  --rounds N         rounds of each line, 11 unless told; fewer are good for a look only
  --only A1,E-rate   these lines only; a letter is all lines that begin with it
  --conversations N  of the larger mailbox of G, 100000 unless told
  --json FILE        writes the results there
  --profiles FOLDER  writes a CPU profile of every server there; the figures then suffer
  compare OLD NEW    what has changed between two files of results
  readme FILE…       writes the lines of these files into the README, of a line that several have the last
`;

/** The part that a line belongs to: `E` of `E-rate`. */
export const partOf = (line: string): string => /^[^-]+/.exec(line)?.[0] ?? line;

/** @throws Error with the usage for anything it does not know */
export function readArguments(args: readonly string[], lines: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '11' },
      only: { type: 'string' },
      conversations: { type: 'string', default: '100000' },
      json: { type: 'string' },
      profiles: { type: 'string' },
    },
  });
  const rounds = numberOf('rounds', values.rounds, 1_000);
  const conversations = numberOf('conversations', values.conversations, 10_000_000);
  const only = values.only?.split(',');
  const known = new Set([...lines, ...lines.map(partOf)]);
  const stranger = only?.find((id) => !known.has(id));
  if (stranger !== undefined) {
    throw new Error(`--only knows ${[...known].join(', ')}, not ${stranger}\n\n${usage}`);
  }
  const isWanted = (id: string): boolean =>
    only?.some((one) => one === id || one === partOf(id) || partOf(one) === id) ?? true;
  const { json = null, profiles = null } = values;
  return { rounds, isWanted, conversations, json, profiles };
}

function numberOf(name: string, given: string, max: number): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new Error(`--${name} takes a number from 1 to ${max}\n\n${usage}`);
}
