import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { readArguments } from './arguments.js';
import { benches } from './benches.js';
import { jsonResult, table } from './report.js';
import { openDatabase } from './rig/database.js';
import { run, type BenchResult } from './rounds.js';

/** `npm run bench`. */
async function main(args: readonly string[]): Promise<void> {
  const known = benches.map(({ id }) => id);
  const { rounds, only, json, profiles } = readArguments(args, known);
  const database = await openDatabase();
  const interrupted = (): void => {
    void database.close().finally(() => process.exit(130));
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    say(`${cpus().length} cores, Node ${process.version}, PostgreSQL ${database.version}`);
    if (profiles !== null) await mkdir(profiles, { recursive: true });
    const results: BenchResult[] = [];
    for (const bench of benches.filter(({ id }) => only?.includes(id) ?? true)) {
      say(`${bench.id}: ${rounds} rounds of ${bench.subject.title} ...`);
      const folder = profiles === null ? null : `${profiles}/${bench.id}`;
      results.push(await run(bench, database.setup, { rounds, profiles: folder }));
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

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
});
