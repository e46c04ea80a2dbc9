import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { brokerMissing } from '@postroom/local';
import { readArguments, type Arguments } from './arguments.js';
import { benches, type Bench } from './benches.js';
import { runBusBench } from './bus/run.js';
import { runHostileBench } from './hostile/run.js';
import { runImportBench } from './imports/run.js';
import { runNeighbourBench } from './neighbours/run.js';
import {
  busTable,
  hostileTable,
  importTable,
  neighbourTable,
  searchTable,
  sendTable,
  serverResult,
  serverTable,
  webhookTable,
} from './report.js';
import { jsonResult, type Result } from './result.js';
import { type BenchDatabase, openDatabase } from './rig/database.js';
import { run, type BenchResult, type RunOptions } from './rounds.js';
import { runSendBench } from './sends/run.js';
import { runSearchBench } from './search/run.js';
import { runWebhookBench } from './webhooks/run.js';

/** `npm run bench`. @param signal ends it early and stops what was started */
async function main(args: Arguments, signal: AbortSignal): Promise<void> {
  const { only, json, profiles } = args;
  if (profiles !== null) await mkdir(profiles, { recursive: true });
  say(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1) ?? ''}`);
  const isWanted = (id: string): boolean => only?.includes(id) ?? true;
  const chosen = benches.filter(({ id }) => isWanted(id));
  const parts = chosen.length > 0 ? [await benchServers(chosen, args, signal)] : [];
  for (const [id, runPart] of Object.entries(otherBenches)) {
    if (!isWanted(id)) continue;
    const folder = profiles === null ? null : join(profiles, id);
    parts.push(await runPart({ rounds: args.rounds, profiles: folder, signal }));
  }
  if (json !== null) await writeFile(json, `${JSON.stringify(written(parts), null, 2)}\n`);
}

/** The results of one bench: its ratios, and the measurements they are made of. */
interface Part {
  readonly results: readonly Result[];
  readonly figures?: Readonly<Record<string, object | null>>;
}

/** Everything measured, as `--json` writes it. */
const written = (parts: readonly Part[]): object => ({
  results: parts.flatMap(({ results }) => results.map(jsonResult)),
  ...Object.fromEntries(parts.flatMap(({ figures = {} }) => Object.entries(figures))),
});

async function withDatabase<T>(work: (database: BenchDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase();
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function benchHostile(options: RunOptions): Promise<Part> {
  say(`H: ${options.rounds} rounds of the list, in quiet and beside hostile mail ...`);
  const result = await withDatabase(({ setup }) => runHostileBench(setup, options));
  print(hostileTable(result));
  return { results: [result.result], figures: { hostile: result.figures } };
}

/** Nine attacks a round: a quarter of the rounds of others take six minutes. */
async function benchNeighbours({ rounds, signal }: RunOptions): Promise<Part> {
  const few = Math.ceil(rounds / 4);
  say(`N: ${few} rounds of another workspace's list, in quiet and under attack ...`);
  const result = await runNeighbourBench({ rounds: few, signal }, say);
  print(neighbourTable(result));
  return { results: result.results, figures: { neighbours: result.figures } };
}

async function benchSends(options: RunOptions): Promise<Part> {
  say(`S: ${options.rounds} rounds of sends, small ones and twenty large ones at once ...`);
  const result = await withDatabase(({ setup }) => runSendBench(setup, options));
  print(sendTable(result));
  return { results: result.results, figures: { sends: result.figures } };
}

async function benchImports(options: RunOptions): Promise<Part> {
  say(`I: ${options.rounds} rounds of an import and of a hand-written loop ...`);
  const result = await withDatabase((database) => runImportBench(database, options));
  print(importTable(result));
  return { results: [result.result], figures: { imports: result.figures } };
}

async function benchWebhooks(options: RunOptions): Promise<Part> {
  say(`E: ${options.rounds} rounds of deliveries, and one of a hundred thousand ...`);
  const unprofiled = { ...options, profiles: null };
  const result = await withDatabase((database) => runWebhookBench(database, unprofiled));
  print(webhookTable(result));
  return { results: result.results, figures: { webhooks: result.figures } };
}

async function benchBus(options: RunOptions): Promise<Part> {
  const missing = brokerMissing();
  if (missing !== null) {
    say(`C: skipped. ${missing}`);
    return { results: [] };
  }
  say(`C: ${options.rounds} rounds of a request and its reply between two processes ...`);
  const { results, figures, wholePath } = await runBusBench(options, say);
  print(busTable({ results, figures, wholePath }));
  return { results, figures: { carriers: figures, list: wholePath } };
}

async function benchSearch(options: RunOptions): Promise<Part> {
  const result = await withDatabase((database) => runSearchBench(database, options, say));
  print(searchTable(result));
  const { results, figures, filled } = result;
  return { results, figures: { searches: figures, filled } };
}

const benchServers = (
  chosen: readonly Bench[],
  { rounds, profiles }: Arguments,
  signal: AbortSignal,
): Promise<Part> =>
  withDatabase(async (database) => {
    say(`PostgreSQL ${database.version}`);
    const results: BenchResult[] = [];
    for (const bench of chosen) {
      say(`${bench.id}: ${rounds} rounds of ${bench.subject.title} ...`);
      const folder = profiles === null ? null : join(profiles, bench.id);
      results.push(await run(bench, database.setup, { rounds, profiles: folder, signal }));
    }
    print(serverTable(results));
    return { results: results.map(serverResult) };
  });

/** Prints progress to stderr; the tables alone are the output. */
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const print = (table: string): void => void process.stdout.write(`${table}\n`);

/** The benches that are not comparisons of servers. */
const otherBenches: Readonly<Record<string, (options: RunOptions) => Promise<Part>>> = {
  H: benchHostile,
  N: benchNeighbours,
  S: benchSends,
  I: benchImports,
  E: benchWebhooks,
  C: benchBus,
  D: benchSearch,
};

const stopping = new AbortController();
const stop = (): void => {
  stopping.abort();
};
process.on('SIGINT', stop).on('SIGTERM', stop);

try {
  const known = [...benches.map(({ id }) => id), ...Object.keys(otherBenches)];
  await main(readArguments(process.argv.slice(2), known), stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) say(error instanceof Error ? error.message : String(error));
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}
