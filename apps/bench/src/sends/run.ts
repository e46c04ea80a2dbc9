import { listRequests } from '../benches.js';
import { quartiles } from '../quartiles.js';
import { joined, resultOfRatios, type Part } from '../result.js';
import { load } from '../rig/load.js';
import { paced, type PacedResult } from '../rig/paced.js';
import { ServerProcess, type ServerOptions } from '../rig/server-process.js';
import type { Setup } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';
import { LargeSender } from './large-sender.js';
import { freshSends, repeatedSend } from './requests.js';

const warmUpMs = 3_000;
const sliceMs = 2_000;
const largeAtOnce = 20;
const largeSliceMs = 8_000;
const listPerSecond = 100;

export const sendLines = ['S-send', 'S-replay', 'S-large', 'S-memory'];

const contestants = ['twin', 'fresh', 'repeated'] as const;

/** Messages a second, or answers, and CPU milliseconds of each; by contestant. */
type Rates = Record<(typeof contestants)[number], { perSecond: number; cpuMs: number }>;

interface LargeRound {
  readonly quiet: PacedResult;
  readonly beside: PacedResult;
  readonly perSecond: number;
}

/**
 * Bench S: sends against a bare nodemailer to the same mail server, replays against fresh sends, and
 * the list during twenty concurrent sends of the largest size.
 */
export async function runSendBench(
  setup: Setup,
  { rounds, isWanted, ...options }: RunOptions,
): Promise<Part> {
  const sink = await ServerProcess.start('sink', setup, { ...options, profiles: null });
  try {
    const outgoing = { ...setup, outgoingUrl: `smtp://127.0.0.1:${sink.smtpPort}` };
    const parts: Part[] = [];
    if (isWanted('S-send') || isWanted('S-replay'))
      parts.push(await runSmall(outgoing, rounds, options));
    if (isWanted('S-large') || isWanted('S-memory'))
      parts.push(await runLarge(outgoing, rounds, { ...options, profiles: null }));
    return joined(parts);
  } finally {
    await sink.stop();
  }
}

async function runSmall(setup: Setup, rounds: number, options: ServerOptions): Promise<Part> {
  const product = await ServerProcess.start('product', setup, options);
  const twin = await ServerProcess.start('twin', setup, options);
  try {
    const fresh = freshSends(setup.facts);
    const asked = {
      twin: [twin, fresh],
      fresh: [product, fresh],
      repeated: [product, repeatedSend(setup.facts)],
    } as const;
    for (const name of contestants) {
      const [{ port }, next] = asked[name];
      // A repeat before the first answer would be refused as a duplicate.
      if (name === 'repeated') await load(port, next, 1, 1);
      await load(port, next, warmUpMs);
    }
    const history: Rates[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const none = { perSecond: NaN, cpuMs: NaN };
      const rates: Rates = { twin: none, fresh: none, repeated: none };
      for (const name of shuffled(contestants)) {
        const [server, next] = asked[name];
        const before = await server.cpuMs();
        const { answers, perSecond } = await load(server.port, next, sliceMs);
        rates[name] = { perSecond, cpuMs: ((await server.cpuMs()) - before) / answers };
      }
      history.push(rates);
    }
    return partOfSmall(history);
  } finally {
    await product.stop();
    await twin.stop();
  }
}

function partOfSmall(history: readonly Rates[]): Part {
  const medians = (name: keyof Rates) => ({
    perSecond: middle(history, (rates) => rates[name].perSecond),
    cpuMs: middle(history, (rates) => rates[name].cpuMs),
  });
  const sends = Object.fromEntries(contestants.map((name) => [name, medians(name)])) as Rates;
  const ratios = (own: keyof Rates, twin: keyof Rates): number[] =>
    history.map((rates) => rates[own].perSecond / rates[twin].perSecond);
  const send = resultOfRatios(
    ['S-send', 'sends: whole route / bare nodemailer'],
    ratios('fresh', 'twin'),
    'at least',
    0.6,
  );
  const replay = resultOfRatios(
    ['S-replay', 'replays / fresh sends'],
    ratios('repeated', 'fresh'),
    'at least',
    2.5,
  );
  const cpuMs = (own: keyof Rates, twin: keyof Rates) => ({
    cpuMs: { own: sends[own].cpuMs, twin: sends[twin].cpuMs },
  });
  return {
    results: [
      { ...send, ...cpuMs('fresh', 'twin') },
      { ...replay, ...cpuMs('repeated', 'fresh') },
    ],
    figures: { sends },
  };
}

async function runLarge(setup: Setup, rounds: number, options: ServerOptions): Promise<Part> {
  const product = await ServerProcess.start('product', setup, options);
  const { mailbox, apiKey } = setup.facts;
  const sender = new LargeSender({ port: product.port, mailbox, apiKey, atOnce: largeAtOnce });
  try {
    const next = listRequests(setup.facts);
    const ask = (ms: number): Promise<PacedResult> =>
      paced(product.port, next, { perSecond: listPerSecond, ms });
    // A warm-up: a database stores its first large messages more slowly.
    sender.start();
    await ask(warmUpMs);
    await sender.pause();
    const history: LargeRound[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const quiet = await ask(largeSliceMs);
      const began = performance.now();
      sender.start();
      const beside = await ask(largeSliceMs);
      const { sent } = await sender.pause();
      history.push({ quiet, beside, perSecond: (sent * 1000) / (performance.now() - began) });
    }
    return partOfLarge(history, await product.memoryMb());
  } finally {
    await sender.close();
    await product.stop();
  }
}

function partOfLarge(history: readonly LargeRound[], memoryMb: number): Part {
  const latency = (phase: 'quiet' | 'beside'): PacedResult => ({
    p50Ms: middle(history, (round) => round[phase].p50Ms),
    p99Ms: middle(history, (round) => round[phase].p99Ms),
  });
  const large = resultOfRatios(
    ['S-large', 'p99 of the list: beside 20 of 25 MB / quiet'],
    history.map(({ beside, quiet }) => beside.p99Ms / quiet.p99Ms),
    'at most',
    3,
  );
  const memory = resultOfRatios(
    ['S-memory', 'MiB at its highest / 600'],
    [memoryMb / 600],
    'at most',
    1,
  );
  const perSecond = middle(history, (round) => round.perSecond);
  const largeSends = { quiet: latency('quiet'), beside: latency('beside'), perSecond, memoryMb };
  return { results: [large, memory], figures: { largeSends } };
}

const middle = <T>(rounds: readonly T[], figure: (round: T) => number): number =>
  quartiles(rounds.map(figure)).median;
