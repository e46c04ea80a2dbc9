import { setTimeout as sleep } from 'node:timers/promises';
import {
  announceNodeOptions,
  attacks,
  query,
  startNewProduct,
  Workplace,
  type Attack,
  type Product,
} from '@postroom/e2e';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Part, type Result } from '../result.js';
import type { NextRequest } from '../rig/load.js';
import { paced, type PacedResult } from '../rig/paced.js';
import type { RunOptions } from '../rounds.js';
import { Attackers } from './attackers.js';

const sliceMs = 5_000;
const perSecond = 100;
/** The pause in which most work of an attack ends. */
const calmMs = 1_500;
const goal = 3;
/** Conversations of a page. */
const listed = 25;

interface Round {
  readonly quiet: PacedResult;
  readonly beside: PacedResult;
}

const lineOf = ({ id }: Attack): string => `N-${id}`;
export const neighbourLines = attacks.map(lineOf);

/**
 * Bench N: what each attack of the hostile suite does to another workspace, which reads its list. In each round
 * it reads in quiet and then beside each attack, one after the other.
 */
export async function runNeighbourBench(
  { rounds, signal, isWanted }: RunOptions,
  say: (text: string) => void,
): Promise<Part> {
  announceNodeOptions(process.execArgv);
  const running = await startNewProduct();
  const { product } = running;
  let attackers: Attackers | undefined;
  try {
    const next = await listOf(product);
    const { port } = new URL(product.baseUrl);
    const ask = (): Promise<PacedResult> => paced(Number(port), next, { perSecond, ms: sliceMs });
    say('N: preparing the attacks ...');
    const attacking = (attackers = await Attackers.on(product));
    const round = async ({ id }: Attack): Promise<Round> => {
      signal.throwIfAborted();
      const quiet = await ask();
      const [beside] = await Promise.all([ask(), attacking.attack({ id, ms: sliceMs })]);
      await sleep(calmMs);
      return { quiet, beside };
    };
    const chosen = attacks.filter((one) => isWanted(lineOf(one)));
    const history = new Map<Attack, Round[]>(chosen.map((one) => [one, []]));
    await ask();
    for (const one of chosen) await round(one);
    for (let done = 0; done < rounds; done += 1) {
      say(`N: round ${done + 1} of ${rounds} ...`);
      for (const [one, ofAttack] of history) ofAttack.push(await round(one));
    }
    const figures = { neighbours: [...history].map(figuresOf) };
    return { results: [...history].map(resultOf), figures };
  } finally {
    await attackers?.close();
    await running.remove();
  }
}

/** Reads of the list of a workspace that has nothing to do with the attacks. */
async function listOf(product: Product): Promise<NextRequest> {
  const place = await Workplace.open('globex', product);
  const mailbox = await place.mailbox();
  const key = await place.keyFor(mailbox);
  for (let n = 0; n < listed; n += 1) await place.receive(key, mailbox);
  const path = `/public/v1/conversations?${query({ mailbox, limit: listed })}`;
  const request = `GET ${path} HTTP/1.1\r\nHost: bench\r\nX-Api-Key: ${key.key}\r\n\r\n`;
  return () => request;
}

const resultOf = ([attack, history]: readonly [Attack, readonly Round[]]): Result =>
  resultOfRatios(
    [lineOf(attack), `p99 of another's list: beside ${attack.title} / quiet`],
    history.map(({ quiet, beside }) => beside.p99Ms / quiet.p99Ms),
    'at most',
    goal,
  );

/** Medians over the rounds. */
function figuresOf([{ title }, history]: readonly [Attack, readonly Round[]]): object {
  const latency = (phase: keyof Round): PacedResult => ({
    p50Ms: quartiles(history.map((round) => round[phase].p50Ms)).median,
    p99Ms: quartiles(history.map((round) => round[phase].p99Ms)).median,
  });
  return { title, quiet: latency('quiet'), beside: latency('beside') };
}
