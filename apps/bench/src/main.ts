import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { brokerMissing } from '@postroom/bus/broker';
import { readArguments, type Arguments } from './arguments.js';
import { benches, type Bench } from './benches.js';
import { runBusBench, type BusBenchResult } from './bus/run.js';
import { runHostileBench, type HostileBenchResult } from './hostile/run.js';
import {
  busTable,
  hostileTable,
  searchTable,
  sendTable,
  serverResult,
  serverTable,
} from './report.js';
import { jsonResult } from './result.js';
import { openDatabase } from './rig/database.js';
import { run, type BenchResult } from './rounds.js';
import { runSendBench, type SendBenchResult } from './sends/run.js';
import { runSearchBench, type SearchBenchResult } from './search/run.js';

/** The benches of the bus, of search, of hostile mail and of sends, beside those of servers. */
const busBench = 'C';
const searchBench = 'D';
const hostileBench = 'H';
const sendBench = 'S';

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
  const hostile = isWanted(hostileBench) ? await benchHostile(args, signal) : undefined;
  const sends = isWanted(sendBench) ? await benchSends(args, signal) : undefined;
  const bus = isWanted(busBench) ? await benchBus(args, signal) : undefined;
  const search = isWanted(searchBench) ? await benchSearch(args, signal) : undefined;
  if (json === null) return;
  const all = written(servers, hostile, sends, bus, search);
  await writeFile(json, `${JSON.stringify(all, null, 2)}\n`);
}

/** Everything measured, as `--json` writes it. */
function written(
  servers: readonly BenchResult[],
  hostile: HostileBenchResult | undefined,
  sends: SendBenchResult | undefined,
  bus: BusBenchResult | undefined,
  search: SearchBenchResult | undefined,
): object {
  const own = [
    hostile?.result ?? [],
    sends?.results ?? [],
    bus?.results ?? [],
    search?.results ?? [],
  ];
  const results = [...servers.map(serverResult), ...own.flat()];
  return {
    results: results.map(jsonResult),
    ...(hostile && { hostile: hostile.figures }),
    ...(sends && { sends: sends.figures }),
    ...(bus && { carriers: bus.figures, list: bus.wholePath }),
    ...(search && { searches: search.figures, filled: search.filled }),
  };
}

async function benchHostile(
  { rounds, profiles }: Arguments,
  signal: AbortSignal,
): Promise<HostileBenchResult> {
  const database = await openDatabase();
  try {
    say(`${hostileBench}: ${rounds} rounds of the list, in quiet and beside hostile mail ...`);
    const folder = profiles === null ? null : join(profiles, hostileBench);
    const options = { rounds, profiles: folder, signal };
    const result = await runHostileBench(database.setup, options);
    process.stdout.write(`${hostileTable(result)}\n`);
    return result;
  } finally {
    await database.close();
  }
}

async function benchSends(
  { rounds, profiles }: Arguments,
  signal: AbortSignal,
): Promise<SendBenchResult> {
  const database = await openDatabase();
  try {
    say(`${sendBench}: ${rounds} rounds of sends, small ones and twenty large ones at once ...`);
    const folder = profiles === null ? null : join(profiles, sendBench);
    const result = await runSendBench(database.setup, { rounds, profiles: folder, signal });
    process.stdout.write(`${sendTable(result)}\n`);
    return result;
  } finally {
    await database.close();
  }
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
  const known = [...benches.map(({ id }) => id), hostileBench, sendBench, busBench, searchBench];
  await main(readArguments(process.argv.slice(2), known), stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) say(error instanceof Error ? error.message : String(error));
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}
