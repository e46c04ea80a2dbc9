import { createTopics, declaredTopics } from '@postroom/bus';
import { listRequests } from '../benches.js';
import { quartiles, type Quartiles } from '../quartiles.js';
import { openDatabase } from '../rig/database.js';
import { firstAnswer, load, type NextRequest } from '../rig/load.js';
import { ServerProcess, type ServerName, type ServerOptions } from '../rig/server-process.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';

const warmUpMs = 2_000;
const sliceMs = 1_500;

/** Latency and throughput of a route over Kafka and within one process. */
export interface WholePath {
  /** Milliseconds of a request, one in flight, that Kafka adds. */
  readonly addedMs: Quartiles;
  readonly kafka: PathFigures;
  readonly inProcess: PathFigures;
}

/** Medians over the rounds. */
export interface PathFigures {
  /** A request, one in flight: the mean of a slice. */
  readonly ms: number;
  /** Replies a second to 16 connections. */
  readonly perSecond: number;
}

/** The whole route of the list (bench A1's) over the broker, beside the product as one process. */
export async function measureWholePath(
  brokers: string,
  { rounds, ...options }: RunOptions,
): Promise<WholePath> {
  await createTopics({ brokers: brokers.split(',') }, declaredTopics());
  const database = await openDatabase();
  const started: ServerProcess[] = [];
  const start = async (name: ServerName, options: ServerOptions): Promise<ServerProcess> => {
    const server = await ServerProcess.start(name, { ...database.setup, brokers }, options);
    started.unshift(server);
    return server;
  };
  try {
    await start('mail-on-kafka', options);
    const paths = {
      kafka: await start('gateway-on-kafka', options),
      inProcess: await start('product', options),
    };
    const next = listRequests(database.setup.facts);
    for (const { port } of Object.values(paths)) {
      await firstAnswer(port, next);
      await load(port, next, warmUpMs);
    }
    const history: Record<keyof typeof paths, PathFigures>[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [first, second] = shuffled(['kafka', 'inProcess'] as const);
      if (!first || !second) break;
      const one = await measure(paths[first].port, next);
      const other = await measure(paths[second].port, next);
      history.push(
        first === 'kafka' ? { kafka: one, inProcess: other } : { kafka: other, inProcess: one },
      );
    }
    return {
      addedMs: quartiles(history.map(({ kafka, inProcess }) => kafka.ms - inProcess.ms)),
      kafka: middle(history.map(({ kafka }) => kafka)),
      inProcess: middle(history.map(({ inProcess }) => inProcess)),
    };
  } finally {
    for (const server of started) await server.stop();
    await database.close();
  }
}

async function measure(port: number, next: NextRequest): Promise<PathFigures> {
  const { perSecond: alone } = await load(port, next, sliceMs, 1);
  const { perSecond } = await load(port, next, sliceMs);
  return { ms: 1000 / alone, perSecond };
}

const middle = (all: readonly PathFigures[]): PathFigures => ({
  ms: quartiles(all.map(({ ms }) => ms)).median,
  perSecond: quartiles(all.map(({ perSecond }) => perSecond)).median,
});
