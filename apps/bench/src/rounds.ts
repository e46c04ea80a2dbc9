import { deepStrictEqual } from 'node:assert/strict';
import type { Bench, Contestant } from './benches.js';
import { quartiles, type Quartiles } from './quartiles.js';
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

/** A contestant and its twin: the ratio of each round, and their medians. */
export interface Comparison {
  readonly title: string;
  readonly ratio: Quartiles;
  readonly perSecond: Beside;
  readonly cpuMs: Beside;
}

/** Medians over the rounds. */
export interface Beside {
  readonly own: number;
  readonly twin: number;
}

export interface BenchResult {
  readonly bench: Bench;
  readonly rounds: number;
  readonly subject: Comparison;
  readonly beside: readonly Comparison[];
}

export interface RunOptions extends ServerOptions {
  readonly rounds: number;
}

/** Runs a bench: each contestant against the twin, with no third server running. */
export async function run(bench: Bench, setup: Setup, options: RunOptions): Promise<BenchResult> {
  const subject = await compare(bench, bench.subject, setup, options);
  const beside: Comparison[] = [];
  for (const other of bench.beside) beside.push(await compare(bench, other, setup, options));
  return { bench, rounds: options.rounds, subject, beside };
}

/** In each round a contestant and the twin are asked once, each alone, in random order. */
async function compare(
  bench: Bench,
  contestant: Contestant,
  setup: Setup,
  { rounds, ...options }: RunOptions,
): Promise<Comparison> {
  const servers = new Map<ServerName, ServerProcess>();
  try {
    for (const name of [contestant.server, bench.twin]) {
      servers.set(name, await ServerProcess.start(name, setup, options));
    }
    const next = bench.requests(setup.facts);
    await requireSameAnswers(servers, next, bench.differing);
    for (const server of servers.values()) await load(server.port, next, warmUpMs);
    const history: ReadonlyMap<ServerName, Slice>[] = [];
    for (let round = 0; round < rounds; round += 1) history.push(await measure(servers, next));
    return comparison(history, contestant, bench.twin);
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
): Promise<ReadonlyMap<ServerName, Slice>> {
  const slices = new Map<ServerName, Slice>();
  for (const [name, server] of shuffled([...servers])) {
    const before = await server.cpuMs();
    const { answers, perSecond } = await load(server.port, next, sliceMs);
    slices.set(name, { perSecond, cpuMs: ((await server.cpuMs()) - before) / answers });
  }
  return slices;
}

function comparison(
  history: readonly ReadonlyMap<ServerName, Slice>[],
  { server, title }: Contestant,
  twin: ServerName,
): Comparison {
  const figures = (name: ServerName, figure: keyof Slice): number[] =>
    history.map((round) => round.get(name)?.[figure] ?? NaN);
  const middle = (figure: keyof Slice): Beside => ({
    own: quartiles(figures(server, figure)).median,
    twin: quartiles(figures(twin, figure)).median,
  });
  const twins = figures(twin, 'perSecond');
  const ratios = figures(server, 'perSecond').map((own, round) => own / (twins[round] ?? NaN));
  return {
    title,
    ratio: quartiles(ratios),
    perSecond: middle('perSecond'),
    cpuMs: middle('cpuMs'),
  };
}
