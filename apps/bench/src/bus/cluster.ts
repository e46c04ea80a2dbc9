import { createTopics, declaredTopics } from '@postroom/bus';
import { commentRequests } from '../benches.js';
import { quartiles } from '../quartiles.js';
import type { Part } from '../result.js';
import { firstAnswer } from '../rig/load.js';
import { paced } from '../rig/paced.js';
import { ServerProcess } from '../rig/server-process.js';
import type { Setup } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { openPlace } from './place.js';

const perSecond = 50;
const sliceMs = 5_000;
/** A new broker's JIT compiler works for most of a minute. */
const warmUpMs = 40_000;

const names = ['gateway-on-kafka', 'gateway-on-kafka', 'mail-on-kafka', 'mail-on-kafka'] as const;

/** Milliseconds of a write, and those of each process's CPU for it, in the order of `names`. */
interface Slice {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: readonly number[];
}

/** Bench R, a report without a goal: comments with their keys, half of them by each of two gateways. */
export async function reportCluster(
  setup: Setup,
  { rounds, ...options }: RunOptions,
  say: (text: string) => void,
): Promise<Part> {
  const opened = await openPlace(say);
  const { brokers } = opened.place;
  const servers: ServerProcess[] = [];
  try {
    await createTopics({ brokers: brokers.split(',') }, declaredTopics());
    for (const name of names)
      servers.push(await ServerProcess.start(name, { ...setup, brokers }, options));
    const gateways = servers.slice(0, 2);
    const next = commentRequests(setup.facts);
    for (const { port } of gateways) await firstAnswer(port, next);
    const slice = async (ms: number): Promise<Slice> => {
      const before = await cpuOf(servers);
      const rate = { perSecond: perSecond / gateways.length, ms };
      const found = await Promise.all(gateways.map(({ port }) => paced(port, next, rate)));
      const writes = (perSecond * ms) / 1_000;
      return {
        // Each is of half the writes.
        p50Ms: quartiles(found.map(({ p50Ms }) => p50Ms)).median,
        p99Ms: Math.max(...found.map(({ p99Ms }) => p99Ms)),
        cpuMs: (await cpuOf(servers)).map((cpu, at) => (cpu - (before[at] ?? 0)) / writes),
      };
    };
    await slice(warmUpMs);
    const all: Slice[] = [];
    while (all.length < rounds) all.push(await slice(sliceMs));
    const middle = (figure: (slice: Slice) => number): number =>
      Number(quartiles(all.map(figure)).median.toFixed(2));
    const cluster = {
      p50Ms: middle(({ p50Ms }) => p50Ms),
      p99Ms: middle(({ p99Ms }) => p99Ms),
      cpuMs: names.map((name, at) => [name, middle(({ cpuMs }) => cpuMs[at] ?? NaN)]),
    };
    say(`R: ${JSON.stringify(cluster)}`);
    return { results: [], figures: { cluster } };
  } finally {
    for (const server of servers) await server.stop();
    await opened.close();
  }
}

const cpuOf = (servers: readonly ServerProcess[]): Promise<number[]> =>
  Promise.all(servers.map((server) => server.cpuMs()));
