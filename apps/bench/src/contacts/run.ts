import { deepStrictEqual } from 'node:assert/strict';
import { newId } from '@postroom/contracts';
import { directorySchema } from '@postroom/directory';
import { blobsSchema } from '@postroom/persistence';
import { provision } from '@postroom/persistence/provision';
import { Client } from 'pg';
import { quartiles } from '../quartiles.js';
import type { Result } from '../result.js';
import type { BenchDatabase } from '../rig/database.js';
import type { RunOptions } from '../rounds.js';
import { fill, salt, type Book } from './fill.js';
import { bareLister, productLister } from './list.js';
import {
  addPlans,
  fastestOf,
  plannedSearches,
  productSearch,
  queries,
  type Place,
} from './searches.js';

/** What a book's list and searches took, medians over the rounds in milliseconds. */
export interface ContactFigures {
  readonly title: string;
  readonly ms: Readonly<Record<string, number>>;
}

/** Bench K: lists and searches of contacts. */
export interface ContactBenchResult {
  readonly results: readonly Result[];
  readonly figures: readonly ContactFigures[];
}

const comparedGoal = 1.5;
const growthGoal = 1.3;
/** Of each contestant in a round. */
const turns = 15;
/** A plan that is this many times slower than the fastest at first is dropped. */
const hopeless = 20;

const books = {
  small: { id: 'abk_1', contacts: 10_000 },
  middle: { id: 'abk_2', contacts: 100_000 },
  large: { id: 'abk_3', contacts: 1_000_000 },
} as const satisfies Record<string, Book>;

export async function runContactBench(
  { adminUrl, setup }: BenchDatabase,
  options: Pick<RunOptions, 'rounds' | 'signal'>,
  say: (text: string) => void,
): Promise<ContactBenchResult> {
  const urls = await provision(adminUrl, [directorySchema, blobsSchema]);
  const caller = { ...setup.facts.caller, tenantId: newId('ten'), admin: true };
  const admin = new Client({ connectionString: adminUrl });
  const client = new Client({ connectionString: urls.directory });
  await admin.connect();
  await client.connect();
  try {
    say('K: filling three books with 1,110,000 contacts ...');
    await fill(admin, caller.tenantId, Object.values(books), options.signal);
    await addPlans(admin);
    say(`K: ${options.rounds} rounds of lists and searches ...`);
    const lister = await productLister(urls, caller, books.middle.id);
    const bare = bareLister(admin, caller.tenantId, books.middle.id);
    const contests = [
      { id: 'list', title: 'list of 2,000', own: lister.list, twins: new Map([['bare', bare]]) },
      ...searchContests(client, caller.tenantId),
    ];
    const compared = await compare(contests, options).finally(lister.close);
    const grown = await compareBooks(client, caller.tenantId, options);
    return {
      results: [...compared.results, ...grown.results],
      figures: [...compared.figures, ...grown.figures],
    };
  } finally {
    await client.end();
    await admin.end();
  }
}

type Run = () => Promise<unknown>;

/** What the product does, and what was written by hand for the same answer. */
interface Contest {
  readonly id: string;
  readonly title: string;
  readonly own: Run;
  readonly twins: ReadonlyMap<string, Run>;
}

const searchContests = (client: Client, tenantId: string): Contest[] =>
  queries.map(({ id, title, q }) => {
    const place: Place = { tenantId, bookId: books.middle.id, salt };
    const twins = plannedSearches(client, place, q);
    return { id: `q-${id}`, title: `q, ${title}`, own: productSearch(client, place, q), twins };
  });

async function compare(
  contests: readonly Contest[],
  { rounds, signal }: Pick<RunOptions, 'rounds' | 'signal'>,
): Promise<ContactBenchResult> {
  const results: Result[] = [];
  const figures: ContactFigures[] = [];
  for (const { own, twins } of contests) await requireSame(own, [...twins.values()]);
  for (const { id, title, own, twins } of contests) {
    signal.throwIfAborted();
    const history = await roundsOf(new Map([['product', own], ...twins]), rounds);
    const ratios = history.map((times) => {
      const others = [...twins.keys()].map((name) => times.get(name) ?? Infinity);
      return (times.get('product') ?? NaN) / Math.min(...others);
    });
    results.push(result(`K-${id}`, `${title}: product / best by hand`, ratios, comparedGoal));
    figures.push(figuresOf(title, history));
  }
  return { results, figures };
}

/** The same in a book of 10,000 and in one of 1,000,000. */
async function compareBooks(
  client: Client,
  tenantId: string,
  { rounds, signal }: Pick<RunOptions, 'rounds' | 'signal'>,
): Promise<ContactBenchResult> {
  const results: Result[] = [];
  const figures: ContactFigures[] = [];
  for (const { id, title, q } of [{ id: 'list', title: 'the list', q: '' }, ...queries]) {
    signal.throwIfAborted();
    const ask = (bookId: string): Run => productSearch(client, { tenantId, bookId, salt }, q);
    const contestants = new Map([
      ['large', ask(books.large.id)],
      ['small', ask(books.small.id)],
    ]);
    const history = await roundsOf(contestants, rounds);
    const ratios = history.map((times) => {
      const [large = NaN, small = NaN] = ['large', 'small'].map((name) => times.get(name));
      return large / small;
    });
    results.push(result(`K-growth-${id}`, `${title}: 1,000,000 / 10,000`, ratios, growthGoal));
    figures.push(figuresOf(`growth: ${title}`, history));
  }
  return { results, figures };
}

async function roundsOf<N>(
  contestants: ReadonlyMap<N, () => Promise<unknown>>,
  rounds: number,
): Promise<ReadonlyMap<N, number>[]> {
  const first = await fastestOf(contestants, 3);
  const fastest = Math.min(...first.values());
  const worthy = [...contestants].filter(([name]) => (first.get(name) ?? 0) <= fastest * hopeless);
  const history = [];
  for (let round = 0; round < rounds; round += 1)
    history.push(await fastestOf(new Map(worthy), turns));
  return history;
}

const result = (id: string, title: string, ratios: number[], goal: number): Result => ({
  ...{ id, title, goal, ratio: quartiles(ratios), rounds: ratios.length, direction: 'at most' },
});

const figuresOf = (title: string, history: readonly ReadonlyMap<string, number>[]) => ({
  title,
  ms: Object.fromEntries(
    [...(history[0]?.keys() ?? [])].map((name) => [
      name,
      quartiles(history.map((times) => times.get(name) ?? NaN)).median,
    ]),
  ),
});

/** @throws Error when contestants find different things: the comparison would mean nothing */
async function requireSame(
  own: () => Promise<unknown>,
  twins: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const wanted = valueOf(await own());
  for (const twin of twins) deepStrictEqual(valueOf(await twin()), wanted);
}

const valueOf = (answer: unknown): unknown =>
  answer instanceof Buffer ? JSON.parse(answer.toString()) : answer;
