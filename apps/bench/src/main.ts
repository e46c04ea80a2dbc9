import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { brokerMissing } from '@postroom/local';
import { readArguments, usage } from './arguments.js';
import { benches, type Bench } from './benches.js';
import { reportCluster } from './bus/cluster.js';
import { goals as busGoals } from './bus/goals.js';
import { runBusBench } from './bus/run.js';
import { growthLines, runGrowthBench } from './growth/run.js';
import { runHostileBench } from './hostile/run.js';
import { runImportBench } from './imports/run.js';
import { neighbourLines, runNeighbourBench } from './neighbours/run.js';
import { comparison, table } from './report.js';
import { joined, lineOf, type Line, type Part } from './result.js';
import { type BenchDatabase, openDatabase } from './rig/database.js';
import { run, type RunOptions, type ServerFigures } from './rounds.js';
import { runSendBench, sendLines } from './sends/run.js';
import { runSearchBench, searchLines } from './search/run.js';
import { runToolBench, toolLines } from './tools/run.js';
import { runWebhookBench, webhookLines } from './webhooks/run.js';
import { runWorkspaceBench, workspaceLines } from './workspace/run.js';

/** A part of the bench, and the lines it measures. */
interface BenchPart {
  readonly lines: readonly string[];
  readonly what: string;
  readonly measure: (options: RunOptions) => Promise<Part>;
}

/** The parts that are not comparisons of servers. */
const parts: Readonly<Record<string, BenchPart>> = {
  H: {
    lines: ['H'],
    what: 'the list, in quiet and beside hostile mail',
    measure: (options) => withDatabase(({ setup }) => runHostileBench(setup, options)),
  },
  N: {
    lines: neighbourLines,
    what: "another workspace's list, in quiet and under attack, a quarter of the rounds",
    measure: (options) =>
      runNeighbourBench({ ...options, rounds: Math.ceil(options.rounds / 4) }, say),
  },
  S: {
    lines: sendLines,
    what: 'sends, small ones and twenty large ones at once',
    measure: (options) => withDatabase(({ setup }) => runSendBench(setup, options)),
  },
  I: {
    lines: ['I'],
    what: 'an import and a hand-written loop',
    measure: (options) => withDatabase((database) => runImportBench(database, options)),
  },
  E: {
    lines: webhookLines,
    what: 'deliveries',
    measure: (options) => withDatabase((database) => runWebhookBench(database, options)),
  },
  C: {
    lines: busGoals.map(({ id }) => id),
    what: 'a request and its reply between two processes',
    measure: overKafka('C', (options) => runBusBench(options, say)),
  },
  M: {
    lines: toolLines,
    what: 'calls of tools over Kafka, and their requests',
    measure: overKafka('M', (options) =>
      withDatabase(({ setup }) => runToolBench(setup, options, say)),
    ),
  },
  R: {
    lines: ['R'],
    what: 'comments over Kafka, by two gateways and two mail services',
    measure: overKafka('R', (options) =>
      withDatabase(({ setup }) => reportCluster(setup, options, say)),
    ),
  },
  G: {
    lines: growthLines,
    what: 'requests to a small mailbox and to a large one',
    measure: (options) => runGrowthBench(options, say),
  },
  ...workspacePart('K', 'lists of contacts'),
  ...workspacePart('P', 'writes that a person approves'),
  ...workspacePart('W', 'pages of tasks and windows of calendars'),
  D: {
    lines: searchLines,
    what: 'searches in a mailbox of a million messages',
    measure: (options) => withDatabase((database) => runSearchBench(database, options, say)),
  },
};

/** Lines of the bench of contacts, approvals and calendars. */
function workspacePart(letter: string, what: string): Readonly<Record<string, BenchPart>> {
  const lines = workspaceLines.filter((id) => id.startsWith(letter));
  const measure = (options: RunOptions): Promise<Part> =>
    withDatabase((database) => runWorkspaceBench(database, options, letter));
  return { [letter]: { lines, what, measure } };
}

/** `npm run bench`. @param signal ends it early and stops what was started */
async function measure(args: readonly string[], signal: AbortSignal): Promise<void> {
  const lines = [benches.map(({ id }) => id), ...Object.values(parts).map((part) => part.lines)];
  const { rounds, isWanted, conversations, json, profiles } = readArguments(args, lines.flat());
  if (profiles !== null) await mkdir(profiles, { recursive: true });
  say(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1) ?? ''}`);
  const options = { rounds, isWanted, conversations, signal };
  const folderOf = (id: string): string | null => (profiles === null ? null : join(profiles, id));
  const measured: Part[] = [];
  try {
    const chosen = benches.filter(({ id }) => isWanted(id));
    if (chosen.length > 0)
      await benchServers(chosen, measured, (id) => ({ ...options, profiles: folderOf(id) }));
    for (const [id, part] of Object.entries(parts)) {
      if (!isWanted(id)) continue;
      say(`${id}: ${rounds} rounds of ${part.what} ...`);
      measured.push(await part.measure({ ...options, profiles: folderOf(id) }));
    }
  } finally {
    // The lines that were measured before a failure are of use all the same.
    const { results, figures } = joined(measured);
    const written = results.filter(({ id }) => isWanted(id)).map(lineOf);
    process.stdout.write(`${table(written)}\n`);
    const machine = { cores: cpus().length, node: process.version, at: new Date().toISOString() };
    const all = { machine, results: written, ...figures };
    if (json !== null) await writeFile(json, `${JSON.stringify(all, null, 2)}\n`);
  }
}

async function withDatabase<T>(work: (database: BenchDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase();
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Measures where a broker can be started. */
function overKafka(id: string, measure: BenchPart['measure']): BenchPart['measure'] {
  return (options) => {
    const missing = brokerMissing();
    if (missing === null) return measure(options);
    say(`${id}: skipped. ${missing}`);
    return Promise.resolve({ results: [] });
  };
}

/** The comparisons of servers, in one database. */
const benchServers = (
  chosen: readonly Bench[],
  measured: Part[],
  optionsOf: (id: string) => RunOptions,
): Promise<void> =>
  withDatabase(async (database) => {
    say(`PostgreSQL ${database.version}`);
    const servers: Record<string, ServerFigures> = {};
    for (const bench of chosen) {
      const options = optionsOf(bench.id);
      say(`${bench.id}: ${options.rounds} rounds of ${bench.subject.title} ...`);
      const { result, figures } = await run(bench, database.setup, options);
      servers[bench.id] = figures;
      measured.push({ results: [result], figures: { servers } });
    }
  });

/** Prints progress to stderr; the table alone is the output. */
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const linesOf = async (file: string): Promise<readonly Line[]> =>
  (JSON.parse(await readFile(file, 'utf8')) as { readonly results: readonly Line[] }).results;

/** `npm run bench -- compare OLD NEW`. */
async function compare([before, after, ...more]: readonly string[]): Promise<void> {
  if (before === undefined || after === undefined || more.length > 0) throw new Error(usage);
  process.stdout.write(`${comparison(await linesOf(before), await linesOf(after))}\n`);
}

const readme = new URL('../../../README.md', import.meta.url);

/** `npm run bench -- readme FILE…`: the table stands between two comments of the README. */
async function writeReadme(files: readonly string[]): Promise<void> {
  const lines = new Map(
    (await Promise.all(files.map(linesOf))).flat().map((line) => [line.id, line]),
  );
  const text = await readFile(readme, 'utf8');
  const written = text.replace(
    /(?<=<!-- bench -->\n\n)[^]*?(?=\n\n<!-- \/bench -->)/,
    table([...lines.values()]).replaceAll('$', '$$$$'),
  );
  await writeFile(readme, written);
}

const stopping = new AbortController();
const stop = (): void => {
  stopping.abort();
};
process.on('SIGINT', stop).on('SIGTERM', stop);

const [command, ...rest] = process.argv.slice(2);
try {
  if (command === 'compare') await compare(rest);
  else if (command === 'readme') await writeReadme(rest);
  else await measure(process.argv.slice(2), stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) say(error instanceof Error ? error.message : String(error));
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}
