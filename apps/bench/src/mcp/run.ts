import { brokerMissing } from '@postroom/local';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Result } from '../result.js';
import { Connection } from '../rig/connection.js';
import { ServerProcess } from '../rig/server-process.js';
import type { Setup } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import type { McpBenchResult, McpFigures } from './bench-result.js';
import { deliverMails } from './deliver-mails.js';
import { measureRound, warmUp, type PairRound } from './latency.js';
import { measureOverKafka } from './over-kafka.js';
import { pairsOf } from './pairs.js';

const goal = 1.3;

/** Bench M: calls of tools against the requests that do the same, with one in flight. */
export async function runMcpBench(
  setup: Setup,
  options: RunOptions,
  say: (text: string) => void,
): Promise<McpBenchResult> {
  const inProcess = await measureInProcess(setup, options);
  const missing = brokerMissing();
  if (missing !== null) {
    say(`M: over Kafka skipped. ${missing}`);
    return inProcess;
  }
  const overKafka = await measureOverKafka(setup, options, say);
  return {
    results: [...inProcess.results, ...overKafka.results],
    figures: [...inProcess.figures, ...overKafka.figures],
  };
}

async function measureInProcess(
  setup: Setup,
  { rounds, ...options }: RunOptions,
): Promise<McpBenchResult> {
  const server = await ServerProcess.start('product-with-mcp', setup, options);
  try {
    await deliverMails(server.smtpPort, setup.facts.mailbox);
    const connection = await Connection.open(server.port);
    const results: Result[] = [];
    const figures: McpFigures[] = [];
    for (const pair of pairsOf(setup.facts)) {
      await warmUp(connection, pair);
      const history: PairRound[] = [];
      while (history.length < rounds) history.push(await measureRound(connection, pair));
      const ratios = history.map(({ tool, rest }) => tool / rest);
      const what = [`M-${pair.id}`, `${pair.title}: tool / REST`] as const;
      results.push(resultOfRatios(what, ratios, 'at most', goal));
      figures.push({
        title: pair.title,
        toolMs: quartiles(history.map(({ tool }) => tool)).median,
        restMs: quartiles(history.map(({ rest }) => rest)).median,
        bareMs: null,
      });
    }
    connection.close();
    return { results, figures };
  } finally {
    await server.stop();
  }
}
