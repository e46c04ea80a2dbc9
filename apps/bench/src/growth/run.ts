import { commentRequests, listRequests } from '../benches.js';
import { Sender } from '../hostile/sender.js';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Part } from '../result.js';
import { openDatabase } from '../rig/database.js';
import { load, type NextRequest } from '../rig/load.js';
import { ServerProcess } from '../rig/server-process.js';
import type { SeededFacts, Setup } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { fill, perConversation, type FillPlace } from '../search/fill.js';
import { freshSends } from '../sends/requests.js';
import { shuffled } from '../shuffled.js';
import { addWorkspaces } from './workspaces.js';

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

/** An installation that has more of something than the one that it is compared with. */
interface Growth {
  /** The end of its lines' names. */
  readonly suffix: string;
  readonly title: (options: RunOptions) => string;
  readonly grow: (place: FillPlace, options: RunOptions) => Promise<unknown>;
}

const many = 1_000;

const fillFew = (place: FillPlace, { signal }: RunOptions): Promise<unknown> =>
  fill(place, signal, few * perConversation);

const growths: readonly Growth[] = [
  {
    suffix: '',
    title: ({ conversations }) => `${conversations.toLocaleString('en')} conversations / 10,000`,
    grow: (place, { signal, conversations }) =>
      fill(place, signal, conversations * perConversation),
  },
  {
    suffix: '-workspaces',
    title: () => `${many.toLocaleString('en')} workspaces / one`,
    async grow(place, options) {
      await fillFew(place, options);
      await addWorkspaces(place, many - 1);
    },
  },
];

const lineOf = ({ suffix }: Growth, name: string): string => `G-${name}${suffix}`;

const linesOf = (growth: Growth): readonly string[] => what.map((name) => lineOf(growth, name));
export const growthLines = growths.flatMap(linesOf);

/** A product on a mailbox of some size: each of its works, done one after the other for a time, a second. */
interface Grown {
  readonly perSecond: (name: string, ms: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

const sides = ['small', 'large'] as const;
type Round = Record<(typeof sides)[number], number>;

/**
 * Bench G: the time of a request, one in flight, in a large mailbox and beside many workspaces, as a multiple of that in
 * a small mailbox alone.
 */
export async function runGrowthBench(
  options: RunOptions,
  say: (text: string) => void,
): Promise<Part> {
  const chosen = growths.filter((growth) => linesOf(growth).some(options.isWanted));
  const parts: Part[] = [];
  const open = (title: string, grow: Growth['grow']): Promise<Grown> => {
    say(`G: filling: ${title} ...`);
    return opened((place) => grow(place, options), options.signal);
  };
  const small = await open('10,000 conversations', fillFew);
  try {
    for (const growth of chosen) {
      const title = growth.title(options);
      const large = await open(title, growth.grow);
      const names = what.filter((name) => options.isWanted(lineOf(growth, name)));
      try {
        const history = await compared({ small, large }, names, options.rounds);
        for (const [name, all] of history)
          parts.push(partOf(lineOf(growth, name), `${name}: ${title}`, all));
      } finally {
        await large.close();
      }
    }
  } finally {
    await small.close();
  }
  const figures = parts.map((part) => part.figures);
  return { results: parts.flatMap(({ results }) => results), figures: { growth: figures } };
}

async function compared(
  both: Record<keyof Round, Grown>,
  names: readonly string[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Round[]>> {
  for (const name of names) for (const side of sides) await both[side].perSecond(name, warmUpMs);
  const history = new Map<string, Round[]>(names.map((name) => [name, []]));
  for (let done = 0; done < rounds; done += 1) {
    for (const [name, ofName] of shuffled([...history])) {
      const round = { small: NaN, large: NaN };
      for (const side of shuffled(sides)) round[side] = await both[side].perSecond(name, sliceMs);
      ofName.push(round);
    }
  }
  return history;
}

function partOf(id: string, title: string, all: readonly Round[]): Part {
  const msOf = (side: keyof Round): number =>
    quartiles(all.map((round) => 1_000 / round[side])).median;
  const ratios = all.map(({ small, large }) => small / large);
  return {
    results: [resultOfRatios([id, title], ratios, 'at most', goal)],
    figures: { [id]: { smallMs: msOf('small'), largeMs: msOf('large') } },
  };
}

async function opened(
  grow: (place: FillPlace) => Promise<unknown>,
  signal: AbortSignal,
): Promise<Grown> {
  const database = await openDatabase();
  const ends: (() => Promise<void>)[] = [() => database.close()];
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const { adminUrl, setup } = database;
    const { mailbox, caller } = setup.facts;
    await grow({ adminUrl, tenantId: caller.tenantId, mailbox });
    return { perSecond: await started(setup, signal, ends), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function started(
  setup: Setup,
  signal: AbortSignal,
  ends: (() => Promise<void>)[],
): Promise<Grown['perSecond']> {
  const { facts } = setup;
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
