import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { brokerMissing } from '@postroom/local';
import { runApprovalBench } from './approvals/run.js';
import { readArguments, type Arguments } from './arguments.js';
import { benches, type Bench } from './benches.js';
import { runBusBench } from './bus/run.js';
import { runContactBench } from './contacts/run.js';
import { runHostileBench } from './hostile/run.js';
import { runMcpBench } from './mcp/run.js';
import { runNeighbourBench } from './neighbours/run.js';
import {
  approvalTable,
  busTable,
  contactTable,
  hostileTable,
  mcpTable,
  neighbourTable,
  searchTable,
  sendTable,
  serverResult,
  serverTable,
  webhookTable,
  windowTable,
} from './report.js';
import { jsonResult, type Result } from './result.js';
import { openDatabase } from './rig/database.js';
import { run, type BenchResult } from './rounds.js';
import { runSendBench } from './sends/run.js';
import { runSearchBench } from './search/run.js';
import { runWebhookBench } from './webhooks/run.js';
import { runWindowBench } from './windows/run.js';

/** The benches that are not comparisons of servers. */
const busBench = 'C';
const searchBench = 'D';
const hostileBench = 'H';
const mcpBench = 'M';
const neighbourBench = 'N';
const sendBench = 'S';
const webhookBench = 'E';
const contactBench = 'K';
const approvalBench = 'P';
const windowBench = 'W';

/** `npm run bench`. @param signal ends it early and stops what was started */
async function main(args: Arguments, signal: AbortSignal): Promise<void> {
  const { only, json, profiles } = args;
  if (profiles !== null) await mkdir(profiles, { recursive: true });
  say(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1) ?? ''}`);
  const isWanted = (id: string): boolean => only?.includes(id) ?? true;
  const chosen = benches.filter(({ id }) => isWanted(id));
  const parts = chosen.length > 0 ? [await benchServers(chosen, args, signal)] : [];
  for (const [id, runPart] of Object.entries(otherBenches)) {
    if (isWanted(id)) parts.push(await runPart(args, signal));
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

async function benchHostile({ rounds, profiles }: Arguments, signal: AbortSignal): Promise<Part> {
  const database = await openDatabase();
  try {
    say(`${hostileBench}: ${rounds} rounds of the list, in quiet and beside hostile mail ...`);
    const folder = profiles === null ? null : join(profiles, hostileBench);
    const options = { rounds, profiles: folder, signal };
    const result = await runHostileBench(database.setup, options);
    process.stdout.write(`${hostileTable(result)}\n`);
    return { results: [result.result], figures: { hostile: result.figures } };
  } finally {
    await database.close();
  }
}

/** Nine attacks a round: a quarter of the rounds of others take six minutes. */
async function benchNeighbours({ rounds }: Arguments, signal: AbortSignal): Promise<Part> {
  const few = Math.ceil(rounds / 4);
  say(
    `${neighbourBench}: ${few} rounds of another workspace's list, in quiet and under attack ...`,
  );
  const result = await runNeighbourBench({ rounds: few, signal }, say);
  process.stdout.write(`${neighbourTable(result)}\n`);
  return { results: result.results, figures: { neighbours: result.figures } };
}

async function benchMcp({ rounds, profiles }: Arguments, signal: AbortSignal): Promise<Part> {
  const database = await openDatabase();
  try {
    say(`${mcpBench}: ${rounds} rounds of tools and of the requests that do the same ...`);
    const folder = profiles === null ? null : join(profiles, mcpBench);
    const options = { rounds, profiles: folder, signal };
    const result = await runMcpBench(database.setup, options, say);
    process.stdout.write(`${mcpTable(result)}\n`);
    return { results: result.results, figures: { mcp: result.figures } };
  } finally {
    await database.close();
  }
}

async function benchSends({ rounds, profiles }: Arguments, signal: AbortSignal): Promise<Part> {
  const database = await openDatabase();
  try {
    say(`${sendBench}: ${rounds} rounds of sends, small ones and twenty large ones at once ...`);
    const folder = profiles === null ? null : join(profiles, sendBench);
    const result = await runSendBench(database.setup, { rounds, profiles: folder, signal });
    process.stdout.write(`${sendTable(result)}\n`);
    return { results: result.results, figures: { sends: result.figures } };
  } finally {
    await database.close();
  }
}

async function benchApprovals({ rounds, profiles }: Arguments, signal: AbortSignal): Promise<Part> {
  const database = await openDatabase();
  try {
    say(`${approvalBench}: ${rounds} rounds of writes that are done, filed, and approved ...`);
    const folder = profiles === null ? null : join(profiles, approvalBench);
    const result = await runApprovalBench(database, { rounds, profiles: folder, signal });
    process.stdout.write(`${approvalTable(result)}\n`);
    return { results: result.results, figures: { approvals: result.figures } };
  } finally {
    await database.close();
  }
}

async function benchWebhooks({ rounds }: Arguments, signal: AbortSignal): Promise<Part> {
  const database = await openDatabase();
  try {
    say(`${webhookBench}: ${rounds} rounds of deliveries, and one of a hundred thousand ...`);
    const result = await runWebhookBench(database, { rounds, profiles: null, signal });
    process.stdout.write(`${webhookTable(result)}\n`);
    return { results: result.results, figures: { webhooks: result.figures } };
  } finally {
    await database.close();
  }
}

async function benchWindows({ rounds }: Arguments, signal: AbortSignal): Promise<Part> {
  const database = await openDatabase();
  try {
    say(`${windowBench}: ${rounds} rounds of windows of calendars, and pages of tasks ...`);
    const result = await runWindowBench(database, { rounds, signal });
    process.stdout.write(`${windowTable(result)}\n`);
    return { results: result.results, figures: { windows: result.figures } };
  } finally {
    await database.close();
  }
}

async function benchBus({ rounds, profiles }: Arguments, signal: AbortSignal): Promise<Part> {
  const missing = brokerMissing();
  if (missing !== null) {
    say(`${busBench}: skipped. ${missing}`);
    return { results: [] };
  }
  say(`${busBench}: ${rounds} rounds of a request and its reply between two processes ...`);
  const result = await runBusBench({ rounds, profiles, signal }, say);
  process.stdout.write(`${busTable(result)}\n`);
  const { results, figures, wholePath } = result;
  return { results, figures: { carriers: figures, list: wholePath } };
}

async function benchSearch({ rounds, profiles }: Arguments, signal: AbortSignal): Promise<Part> {
  const database = await openDatabase();
  try {
    const result = await runSearchBench(database, { rounds, profiles, signal }, say);
    process.stdout.write(`${searchTable(result)}\n`);
    const { results, figures, filled } = result;
    return { results, figures: { searches: figures, filled } };
  } finally {
    await database.close();
  }
}

async function benchContacts({ rounds }: Arguments, signal: AbortSignal): Promise<Part> {
  const database = await openDatabase();
  try {
    const result = await runContactBench(database, { rounds, signal }, say);
    process.stdout.write(`${contactTable(result)}\n`);
    return { results: result.results, figures: { contacts: result.figures } };
  } finally {
    await database.close();
  }
}

async function benchServers(
  chosen: readonly Bench[],
  { rounds, profiles }: Arguments,
  signal: AbortSignal,
): Promise<Part> {
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
    return { results: results.map(serverResult) };
  } finally {
    await database.close();
  }
}

/** Prints progress to stderr; the table alone is the output. */
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

type RunPart = (args: Arguments, signal: AbortSignal) => Promise<Part>;

const otherBenches: Readonly<Record<string, RunPart>> = {
  [hostileBench]: benchHostile,
  [mcpBench]: benchMcp,
  [neighbourBench]: benchNeighbours,
  [sendBench]: benchSends,
  [webhookBench]: benchWebhooks,
  [approvalBench]: benchApprovals,
  [windowBench]: benchWindows,
  [busBench]: benchBus,
  [searchBench]: benchSearch,
  [contactBench]: benchContacts,
};

const stopping = new AbortController();
const stop = (): void => {
  stopping.abort();
};
process.on('SIGINT', stop).on('SIGTERM', stop);

try {
  const known = [
    ...benches.map(({ id }) => id),
    hostileBench,
    mcpBench,
    neighbourBench,
    sendBench,
    webhookBench,
    approvalBench,
    windowBench,
    busBench,
    searchBench,
    contactBench,
  ];
  await main(readArguments(process.argv.slice(2), known), stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) say(error instanceof Error ? error.message : String(error));
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}
