import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { brokerMissing } from '@postroom/bus/broker';
import { readArguments, type Arguments } from './arguments.js';
import { benches, type Bench } from './benches.js';
import { runBusBench, type BusBenchResult } from './bus/run.js';
import { busTable, serverResult, serverTable } from './report.js';
import { jsonResult } from './result.js';
import { openDatabase } from './rig/database.js';
import { run, type BenchResult } from './rounds.js';

/** The bench of the bus, beside those of servers. */
const busBench = 'C';

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
  if (json === null) return;
  const results = [...servers.map(serverResult), ...(bus?.results ?? [])].map(jsonResult);
  const written = { results, ...(bus && { carriers: bus.figures, list: bus.wholePath }) };
  await writeFile(json, `${JSON.stringify(written, null, 2)}\n`);
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
  const known = [...benches.map(({ id }) => id), busBench];
  await main(readArguments(process.argv.slice(2), known), stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) say(error instanceof Error ? error.message : String(error));
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}
