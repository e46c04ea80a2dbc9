import { commentRequests, listRequests } from '../benches.js';
import { Sender } from '../hostile/sender.js';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Part } from '../result.js';
import { openDatabase, type BenchDatabase } from '../rig/database.js';
import { load, type NextRequest } from '../rig/load.js';
import { ServerProcess } from '../rig/server-process.js';
import type { SeededFacts } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { fill, perConversation } from '../search/fill.js';
import { freshSends } from '../sends/requests.js';
import { shuffled } from '../shuffled.js';

/** Conversations of the mailbox that others are compared with. */
const few = 10_000;
const warmUpMs = 3_000;
const sliceMs = 1_500;
const goal = 1.3;

const requests: Readonly<Record<string, (facts: SeededFacts) => NextRequest>> = {
  list: listRequests,
  search: searchRequests,
  comment: commentRequests,
  send: freshSends,
};
const what = [...Object.keys(requests), 'inbound'];

export const growthLines = what.map((name) => `G-${name}`);

/** A product on a mailbox of some size: each of its works, done one after the other for a time, a second. */
interface Grown {
  readonly perSecond: (name: string, ms: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

const sides = ['small', 'large'] as const;
type Round = Record<(typeof sides)[number], number>;

/** Bench G: the time of a request, one in flight, in a large mailbox as a multiple of that in a small one. */
export async function runGrowthBench(
  options: RunOptions,
  say: (text: string) => void,
): Promise<Part> {
  const opened: Grown[] = [];
  const open = async (count: number): Promise<Grown> => {
    say(`G: filling a mailbox with ${count.toLocaleString('en')} conversations ...`);
    const grown = await grow(count, options);
    opened.push(grown);
    return grown;
  };
  try {
    const both = { small: await open(few), large: await open(options.conversations) };
    return partOf(await compared(both, options), options.conversations);
  } finally {
    for (const one of opened) await one.close();
  }
}

async function compared(
  both: Record<keyof Round, Grown>,
  { rounds, isWanted }: RunOptions,
): Promise<ReadonlyMap<string, readonly Round[]>> {
  const chosen = what.filter((name) => isWanted(`G-${name}`));
  for (const name of chosen) for (const side of sides) await both[side].perSecond(name, warmUpMs);
  const history = new Map<string, Round[]>(chosen.map((name) => [name, []]));
  for (let done = 0; done < rounds; done += 1) {
    for (const [name, ofName] of shuffled([...history])) {
      const round = { small: NaN, large: NaN };
      for (const side of shuffled(sides)) round[side] = await both[side].perSecond(name, sliceMs);
      ofName.push(round);
    }
  }
  return history;
}

function partOf(history: ReadonlyMap<string, readonly Round[]>, conversations: number): Part {
  const msOf = (all: readonly Round[], side: keyof Round): number =>
    quartiles(all.map((round) => 1_000 / round[side])).median;
  const results = [...history].map(([name, all]) =>
    resultOfRatios(
      [`G-${name}`, `${name}: ${conversations.toLocaleString('en')} conversations / 10,000`],
      all.map(({ small, large }) => small / large),
      'at most',
      goal,
    ),
  );
  const growth = [...history].map(([name, all]) => ({
    ...{ name, conversations, smallMs: msOf(all, 'small'), largeMs: msOf(all, 'large') },
  }));
  return { results, figures: { growth } };
}

async function grow(count: number, { signal }: RunOptions): Promise<Grown> {
  const database = await openDatabase();
  const ends: (() => Promise<void>)[] = [() => database.close()];
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    return { perSecond: await started(database, count, signal, ends), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function started(
  { adminUrl, setup }: BenchDatabase,
  count: number,
  signal: AbortSignal,
  ends: (() => Promise<void>)[],
): Promise<Grown['perSecond']> {
  const { facts } = setup;
  const place = { adminUrl, tenantId: facts.caller.tenantId, mailbox: facts.mailbox };
  await fill(place, signal, count * perConversation);
  const how = { profiles: null, signal };
  const sink = await ServerProcess.start('sink', setup, how);
  ends.push(() => sink.stop());
  const outgoingUrl = `smtp://127.0.0.1:${sink.smtpPort}`;
  const product = await ServerProcess.start('product', { ...setup, outgoingUrl }, how);
  ends.push(() => product.stop());
  const { mailbox } = facts;
  const sender = new Sender({ port: product.smtpPort, mailbox, isOrdinary: true });
  ends.push(() => sender.close());
  const next = new Map(Object.entries(requests).map(([name, of]) => [name, of(facts)]));
  return async (name, ms) => {
    const request = next.get(name);
    if (request) return (await load(product.port, request, ms, 1)).perSecond;
    const began = performance.now();
    sender.start();
    await new Promise((resolve) => setTimeout(resolve, ms));
    const { sent } = await sender.pause();
    return (sent * 1_000) / (performance.now() - began);
  };
}

/** A word of one message in a thousand. */
function searchRequests({ mailbox, apiKey }: SeededFacts): NextRequest {
  const query = `mailbox=${encodeURIComponent(mailbox)}&q=litige`;
  const request = `GET /public/v1/search?${query} HTTP/1.1\r\nHost: bench\r\nX-Api-Key: ${apiKey}\r\n\r\n`;
  return () => request;
}
