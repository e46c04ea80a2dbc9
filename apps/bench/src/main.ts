import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { brokerMissing } from '@postroom/bus/broker';
import { readArguments, type Arguments } from './arguments.js';
import { benches, type Bench } from './benches.js';
import { runBusBench, type BusBenchResult } from './bus/run.js';
import { busTable, searchTable, serverResult, serverTable } from './report.js';
import { jsonResult } from './result.js';
import { openDatabase } from './rig/database.js';
import { run, type BenchResult } from './rounds.js';
import { runSearchBench, type SearchBenchResult } from './search/run.js';

/** The benches of the bus and of search, beside those of servers. */
const busBench = 'C';
const searchBench = 'D';

/** `npm run bench`. @param signal ends it early; what was started is stopped all the same */
async function main(args: Arguments, signal: AbortSignal): Promise<void> {
  const { only, json, profiles } = args;
  if (profiles !== null) await mkdir(profiles, { recursive: true });
  say(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1) ?? ''}`);
  const isWanted = (id: string): boolean => only?.includes(id) ?? true;
  const servers = await benchServers(
    benches.filter(({ id }) => isWanted(id)),
    args,
    signal,
  );
  const bus = isWanted(busBench) ? await benchBus(args, signal) : undefined;
  const search = isWanted(searchBench) ? await benchSearch(args, signal) : undefined;
  if (json !== null) await write(json, servers, bus, search);
}

async function write(
  file: string,
  servers: readonly BenchResult[],
  bus: BusBenchResult | undefined,
  search: SearchBenchResult | undefined,
): Promise<void> {
  const results = [
    ...servers.map(serverResult),
    ...(bus?.results ?? []),
    ...(search?.results ?? []),
  ].map(jsonResult);
  const written = {
    results,
    ...(bus && { carriers: bus.figures, list: bus.wholePath }),
    ...(search && { searches: search.figures, filled: search.filled }),
  };
  await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
}

async function benchBus(
  { rounds, profiles }: Arguments,
  signal: AbortSignal,
): Promise<BusBenchResult | undefined> {
  const missing = brokerMissing();
  if (missing !== null) {
    say(`${busBench}: skipped. ${missing}`);
    return undefined;
  }
  say(`${busBench}: ${rounds} rounds of a request and its reply between two processes ...`);
  const result = await runBusBench({ rounds, profiles, signal }, say);
  process.stdout.write(`${busTable(result)}\n`);
  return result;
}

async function benchSearch(
  { rounds, profiles }: Arguments,
  signal: AbortSignal,
): Promise<SearchBenchResult> {
  const database = await openDatabase();
  try {
    const result = await runSearchBench(database, { rounds, profiles, signal }, say);
    process.stdout.write(`${searchTable(result)}\n`);
    return result;
  } finally {
    await database.close();
  }
}

async function benchServers(
  chosen: readonly Bench[],
  { rounds, profiles }: Arguments,
  signal: AbortSignal,
): Promise<BenchResult[]> {
  if (chosen.length === 0) return [];
  const database = await openDatabase();
  try {
    say(`PostgreSQL ${database.version}`);
    const results: BenchResult[] = [];
    for (const bench of chosen) {
      say(`${bench.id}: ${rounds} rounds of ${bench.subject.title} ...`);
      const folder = profiles === null ? null : join(profiles, bench.id);
      results.push(await run(bench, database.setup, { rounds, profiles: folder, signal }));
    }
    process.stdout.write(`${serverTable(results)}\n`);
    return results;
  } finally {
    await database.close();
  }
}

/** Progress: beside the table, which alone is the output. */
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const stopping = new AbortController();
const stop = (): void => {
  stopping.abort();
};
process.on('SIGINT', stop).on('SIGTERM', stop);

try {
  const known = [...benches.map(({ id }) => id), busBench, searchBench];
  await main(readArguments(process.argv.slice(2), known), stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) say(error instanceof Error ? error.message : String(error));
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}
