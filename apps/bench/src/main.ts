import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { readArguments, type Arguments } from './arguments.js';
import { benches } from './benches.js';
import { jsonResult, table } from './report.js';
import { openDatabase } from './rig/database.js';
import { run, type BenchResult } from './rounds.js';

/** `npm run bench`. @param signal ends it early; what was started is stopped all the same */
async function main(
  { rounds, only, json, profiles }: Arguments,
  signal: AbortSignal,
): Promise<void> {
  const database = await openDatabase();
  try {
    say(`${cpus().length} cores, Node ${process.version}, PostgreSQL ${database.version}`);
    if (profiles !== null) await mkdir(profiles, { recursive: true });
    const results: BenchResult[] = [];
    for (const bench of benches.filter(({ id }) => only?.includes(id) ?? true)) {
      say(`${bench.id}: ${rounds} rounds of ${bench.subject.title} ...`);
      const folder = profiles === null ? null : join(profiles, bench.id);
      results.push(await run(bench, database.setup, { rounds, profiles: folder, signal }));
    }
    process.stdout.write(`${table(results)}\n`);
    if (json !== null) {
      await writeFile(json, `${JSON.stringify({ results: results.map(jsonResult) }, null, 2)}\n`);
    }
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
  const known = benches.map(({ id }) => id);
  await main(readArguments(process.argv.slice(2), known), stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) say(error instanceof Error ? error.message : String(error));
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}
