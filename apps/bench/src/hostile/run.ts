import { listRequests } from '../benches.js';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Part } from '../result.js';
import { paced, type PacedResult } from '../rig/paced.js';
import { ServerProcess } from '../rig/server-process.js';
import type { Setup } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { Sender } from './sender.js';

const warmUpMs = 3_000;
const sliceMs = 5_000;
const perSecond = 100;

interface Round {
  readonly quiet: PacedResult;
  readonly hostile: PacedResult;
  readonly sent: number;
}

/** Bench H: in each round the list is read in quiet, and then while the worst mail arrives. */
export async function runHostileBench(
  setup: Setup,
  { rounds, ...options }: RunOptions,
): Promise<Part> {
  const server = await ServerProcess.start('product', setup, options);
  const sender = new Sender({ port: server.smtpPort, mailbox: setup.facts.mailbox });
  try {
    const next = listRequests(setup.facts);
    const ask = (ms: number): Promise<PacedResult> => paced(server.port, next, { perSecond, ms });
    const underFire = async (ms: number): Promise<Omit<Round, 'quiet'>> => {
      sender.start();
      const hostile = await ask(ms);
      return { hostile, ...(await sender.pause()) };
    };
    await ask(warmUpMs);
    await underFire(warmUpMs);
    const history: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      history.push({ quiet: await ask(sliceMs), ...(await underFire(sliceMs)) });
    }
    return partOf(history);
  } finally {
    await sender.close();
    await server.stop();
  }
}

function partOf(history: readonly Round[]): Part {
  const middle = (figure: (round: Round) => number): number =>
    quartiles(history.map(figure)).median;
  const latency = (phase: 'quiet' | 'hostile'): PacedResult => ({
    p50Ms: middle((round) => round[phase].p50Ms),
    p99Ms: middle((round) => round[phase].p99Ms),
  });
  const result = resultOfRatios(
    ['H', 'p99 of the list at 100/s: hostile mail / quiet'],
    history.map(({ quiet, hostile }) => hostile.p99Ms / quiet.p99Ms),
    'at most',
    2,
  );
  const messagesPerSecond = middle(({ sent }) => (sent * 1000) / sliceMs);
  const hostile = { quiet: latency('quiet'), hostile: latency('hostile'), messagesPerSecond };
  return { results: [result], figures: { hostile } };
}
