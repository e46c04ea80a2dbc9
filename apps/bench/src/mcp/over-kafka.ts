import { createTopics, declaredTopics } from '@postroom/bus';
import { Contestant } from '../bus/contestant.js';
import { openPlace } from '../bus/place.js';
import { scenarios } from '../bus/scenarios.js';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Result } from '../result.js';
import { Connection } from '../rig/connection.js';
import { firstAnswer } from '../rig/load.js';
import { ServerProcess, type ServerName } from '../rig/server-process.js';
import type { Setup } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import type { McpBenchResult, McpFigures } from './bench-result.js';
import { deliverMails } from './deliver-mails.js';
import { measureRound, warmUp, type PairRound } from './latency.js';
import { pairsOf, type Pair } from './pairs.js';

/** A call makes two hops more than its request: to the MCP service, and from it to the gateway. */
const goal = 2 * 1.25;
const sliceMs = 1_000;
/** A new broker's JIT compiler works for most of a minute. */
const warmUps = 5;

interface Round extends PairRound {
  /** A request and its reply between two processes on kafkajs alone. */
  readonly bare: number;
}

/** What a call takes longer than its request, in bare round trips of the same round. */
export async function measureOverKafka(
  setup: Setup,
  { rounds, ...options }: RunOptions,
  say: (text: string) => void,
): Promise<McpBenchResult> {
  const opened = await openPlace(say);
  const { place } = opened;
  const stopping: (() => Promise<void>)[] = [() => opened.close()];
  const start = async (name: ServerName): Promise<ServerProcess> => {
    const server = await ServerProcess.start(name, { ...setup, brokers: place.brokers }, options);
    stopping.unshift(() => server.stop());
    return server;
  };
  try {
    await createTopics({ brokers: place.brokers.split(',') }, declaredTopics());
    const bare = await Contestant.start('bare-kafka', place, options);
    stopping.unshift(() => bare.stop());
    const mail = await start('mail-on-kafka');
    await start('mcp-on-kafka');
    const { port } = await start('gateway-on-kafka');
    await deliverMails(mail.port, setup.facts.mailbox);
    const connection = await Connection.open(port);
    stopping.unshift(() => Promise.resolve(connection.close()));
    const results: Result[] = [];
    const figures: McpFigures[] = [];
    for (const pair of pairsOf(setup.facts)) {
      await firstAnswer(port, pair.tool);
      for (let pass = 0; pass < warmUps; pass += 1) await warmUp(connection, pair);
      const history: Round[] = [];
      while (history.length < rounds)
        history.push({ ...(await measureRound(connection, pair)), bare: await bareP50(bare) });
      results.push(resultOf(pair, history));
      figures.push(figuresOf(pair, history));
    }
    return { results, figures };
  } finally {
    for (const stop of stopping) await stop();
  }
}

async function bareP50(bare: Contestant): Promise<number> {
  const one = scenarios.find(({ id }) => id === 'one');
  if (!one) throw new Error('There is no scenario of one request in flight.');
  return (await bare.measure(one, sliceMs)).p50Ms;
}

const resultOf = ({ id, title }: Pair, history: readonly Round[]): Result =>
  resultOfRatios(
    [`M-${id}-kafka`, `${title}: (tool - REST) / bare round trip`],
    history.map(({ tool, rest, bare }) => (tool - rest) / bare),
    'at most',
    goal,
  );

const figuresOf = ({ title }: Pair, history: readonly Round[]): McpFigures => {
  const middle = (figure: keyof Round): number =>
    quartiles(history.map((round) => round[figure])).median;
  return {
    title: `${title}, over Kafka`,
    toolMs: middle('tool'),
    restMs: middle('rest'),
    bareMs: middle('bare'),
  };
};
