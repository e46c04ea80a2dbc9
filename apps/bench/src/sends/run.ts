import { listRequests } from '../benches.js';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Result } from '../result.js';
import { load, type NextRequest } from '../rig/load.js';
import { paced, type PacedResult } from '../rig/paced.js';
import { ServerProcess } from '../rig/server-process.js';
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

/** Messages a second, or answers; medians over the rounds. */
export interface SendFigures {
  /** Bare nodemailer, a connection a message, and with its pool. */
  readonly twin: number;
  readonly pooled: number;
  readonly fresh: number;
  readonly repeated: number;
  readonly quiet: PacedResult;
  readonly besideLarge: PacedResult;
  readonly largePerSecond: number;
  /** Peak memory of the product's process, MiB. */
  readonly memoryMb: number;
}

export interface SendBenchResult {
  readonly results: readonly Result[];
  readonly figures: SendFigures;
}

interface Rates {
  readonly twin: number;
  readonly pooled: number;
  readonly fresh: number;
  readonly repeated: number;
}

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
  { rounds, ...options }: RunOptions,
): Promise<SendBenchResult> {
  const sink = await ServerProcess.start('sink', setup, { ...options, profiles: null });
  try {
    const outgoing = { ...setup, outgoingUrl: `smtp://127.0.0.1:${sink.smtpPort}` };
    const rates = await runSmall(outgoing, { rounds, ...options });
    const large = await runLarge(outgoing, { rounds, ...options, profiles: null });
    return resultOf(rates, large.history, large.memoryMb);
  } finally {
    await sink.stop();
  }
}

async function runSmall(setup: Setup, { rounds, ...options }: RunOptions): Promise<Rates[]> {
  const product = await ServerProcess.start('product', setup, options);
  const twin = await ServerProcess.start('twin', setup, options);
  try {
    const fresh = freshSends(setup.facts);
    const contestants: readonly (readonly [keyof Rates, number, NextRequest])[] = [
      ['twin', twin.port, fresh],
      ['pooled', twin.port, freshSends(setup.facts, 'pooled')],
      ['fresh', product.port, fresh],
      ['repeated', product.port, repeatedSend(setup.facts)],
    ];
    for (const [name, port, next] of contestants) {
      // A repeat before the first answer would be refused as a duplicate.
      if (name === 'repeated') await load(port, next, 1, 1);
      await load(port, next, warmUpMs);
    }
    const history: Rates[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const rates = { twin: NaN, pooled: NaN, fresh: NaN, repeated: NaN };
      for (const [name, port, next] of shuffled(contestants)) {
        rates[name] = (await load(port, next, sliceMs)).perSecond;
      }
      history.push(rates);
    }
    return history;
  } finally {
    await product.stop();
    await twin.stop();
  }
}

async function runLarge(
  setup: Setup,
  { rounds, ...options }: RunOptions,
): Promise<{ readonly history: readonly LargeRound[]; readonly memoryMb: number }> {
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
    return { history, memoryMb: await product.memoryMb() };
  } finally {
    await sender.close();
    await product.stop();
  }
}

function resultOf(
  rates: readonly Rates[],
  large: readonly LargeRound[],
  memoryMb: number,
): SendBenchResult {
  const ratios = {
    send: rates.map(({ fresh, twin }) => fresh / twin),
    replay: rates.map(({ repeated, fresh }) => repeated / fresh),
    large: large.map(({ beside, quiet }) => beside.p99Ms / quiet.p99Ms),
  };
  return {
    results: [
      resultOfRatios(
        ['S-send', 'sends: whole route / bare nodemailer'],
        ratios.send,
        'at least',
        0.6,
      ),
      resultOfRatios(['S-replay', 'replays / fresh sends'], ratios.replay, 'at least', 2.5),
      resultOfRatios(
        ['S-large', 'p99 of the list: beside 20 of 25 MB / quiet'],
        ratios.large,
        'at most',
        3,
      ),
      resultOfRatios(['S-memory', 'MiB at its highest / 600'], [memoryMb / 600], 'at most', 1),
    ],
    figures: figuresOf(rates, large, memoryMb),
  };
}

const middle = <T>(rounds: readonly T[], figure: (round: T) => number): number =>
  quartiles(rounds.map(figure)).median;

function figuresOf(
  rates: readonly Rates[],
  large: readonly LargeRound[],
  memoryMb: number,
): SendFigures {
  const latency = (phase: 'quiet' | 'beside'): PacedResult => ({
    p50Ms: middle(large, (round) => round[phase].p50Ms),
    p99Ms: middle(large, (round) => round[phase].p99Ms),
  });
  return {
    twin: middle(rates, ({ twin }) => twin),
    pooled: middle(rates, ({ pooled }) => pooled),
    fresh: middle(rates, ({ fresh }) => fresh),
    repeated: middle(rates, ({ repeated }) => repeated),
    quiet: latency('quiet'),
    besideLarge: latency('beside'),
    largePerSecond: middle(large, ({ perSecond }) => perSecond),
    memoryMb,
  };
}
