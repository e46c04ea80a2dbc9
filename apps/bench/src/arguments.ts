import { parseArgs } from 'node:util';

/** The arguments of the command line. */
export interface Arguments {
  readonly rounds: number;
  /** Ids of the benches to run; null for all. */
  readonly only: readonly string[] | null;
  /** File that the results are written to. */
  readonly json: string | null;
  /** Folder that each server's CPU profile is written to. */
  readonly profiles: string | null;
}

export const usage = `Usage: npm run bench -- [--rounds N] [--only A1,F] [--json FILE] [--profiles FOLDER]

  --rounds N         rounds of each bench, 11 unless told; fewer are good for a look only
  --only A1,F        these benches only
  --json FILE        writes the results there
  --profiles FOLDER  writes a CPU profile of every server there; the figures then suffer
`;

/** @throws Error with the usage for anything it does not know */
export function readArguments(args: readonly string[], known: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '11' },
      only: { type: 'string' },
      json: { type: 'string' },
      profiles: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 1000) {
    throw new Error(`--rounds takes a number from 1 to 1000\n\n${usage}`);
  }
  const only = values.only?.split(',') ?? null;
  const stranger = only?.find((id) => !known.includes(id));
  if (stranger !== undefined) {
    throw new Error(`--only knows ${known.join(', ')}, not ${stranger}\n\n${usage}`);
  }
  return { rounds, only, json: values.json ?? null, profiles: values.profiles ?? null };
}
