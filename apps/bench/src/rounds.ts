import { deepStrictEqual } from 'node:assert/strict';
import type { Bench } from './benches.js';
import { quartiles } from './quartiles.js';
import { resultOfRatios, type Result } from './result.js';
import { askOnce, load, type NextRequest } from './rig/load.js';
import { ServerProcess, type ServerName, type ServerOptions } from './rig/server-process.js';
import type { Setup } from './rig/setup.js';
import { shuffled } from './shuffled.js';

/** V8 needs some seconds to compile the product. */
const warmUpMs = 8_000;
const sliceMs = 1_500;

/** Measurements of one server in one round. */
interface Slice {
  readonly perSecond: number;
  /** CPU time of its process, milliseconds a request. */
  readonly cpuMs: number;
}

type Round = ReadonlyMap<ServerName, Slice>;

/** Medians over the rounds, by server. */
export type ServerFigures = Readonly<Record<string, Slice>>;

export interface RunOptions extends ServerOptions {
  readonly rounds: number;
  /** True of a line that is to be measured; a part leaves out what no such line needs. */
  readonly isWanted: (line: string) => boolean;
  /** Conversations of the larger mailbox of bench G. */
  readonly conversations: number;
}

/** Runs a bench: in each round the subject and the twin are asked once, each alone, in random order. */
export async function run(
  bench: Bench,
  setup: Setup,
  { rounds, ...options }: RunOptions,
): Promise<{ readonly result: Result; readonly figures: ServerFigures }> {
  const servers = new Map<ServerName, ServerProcess>();
  try {
    for (const name of [bench.subject.server, bench.twin]) {
      servers.set(name, await ServerProcess.start(name, setup, options));
    }
    const next = bench.requests(setup.facts);
    await requireSameAnswers(servers, next, bench.differing);
    for (const server of servers.values()) await load(server.port, next, warmUpMs);
    const history: Round[] = [];
    for (let round = 0; round < rounds; round += 1) history.push(await measure(servers, next));
    return outcomeOf(bench, history);
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

/** Servers that answer differently do different work: their ratio would mean nothing. */
async function requireSameAnswers(
  servers: ReadonlyMap<ServerName, ServerProcess>,
  next: NextRequest,
  differing: RegExp,
): Promise<void> {
  const answers: unknown[] = [];
  for (const { port } of servers.values()) {
    const body = await askOnce(port, next());
    answers.push(
      JSON.parse(body.replaceAll(differing, (text) => (text.includes(':') ? '"_":0' : '0'))),
    );
  }
  for (const answer of answers) deepStrictEqual(answer, answers[0]);
}

async function measure(
  servers: ReadonlyMap<ServerName, ServerProcess>,
  next: NextRequest,
): Promise<Round> {
  const slices = new Map<ServerName, Slice>();
  for (const [name, server] of shuffled([...servers])) {
    const before = await server.cpuMs();
    const { answers, perSecond } = await load(server.port, next, sliceMs);
    slices.set(name, { perSecond, cpuMs: ((await server.cpuMs()) - before) / answers });
  }
  return slices;
}

function outcomeOf(
  { id, goal, subject: { server, title }, twin }: Bench,
  history: readonly Round[],
): { readonly result: Result; readonly figures: ServerFigures } {
  const all = (name: ServerName, figure: keyof Slice): number[] =>
    history.map((round) => round.get(name)?.[figure] ?? NaN);
  const middle = (name: ServerName): Slice => ({
    perSecond: quartiles(all(name, 'perSecond')).median,
    cpuMs: quartiles(all(name, 'cpuMs')).median,
  });
  const twins = all(twin, 'perSecond');
  const ratios = all(server, 'perSecond').map((own, round) => own / (twins[round] ?? NaN));
  const figures = { [server]: middle(server), [twin]: middle(twin) };
  const cpuMs = { own: middle(server).cpuMs, twin: middle(twin).cpuMs };
  return { result: { ...resultOfRatios([id, title], ratios, 'at least', goal), cpuMs }, figures };
}
