import { parseQuery, searchArguments } from '@postroom/mail';
import { Client } from 'pg';
import { quartiles } from '../quartiles.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';
import { termClasses, type TermClass } from './classes.js';
import { planFunction, planNames, type PlanName } from './plans.js';

/**
 * Searches of one contestant in one round, interleaved with the others. The fastest one counts,
 * because other load on the machine can only add to it.
 */
const repeats = 15;
/** A plan that is this many times slower than the fastest in the first round is dropped. */
const hopeless = 20;

/** The times of a class of terms, medians over the rounds in milliseconds. */
export interface ClassFigures {
  readonly id: string;
  readonly title: string;
  readonly productMs: number;
  readonly plansMs: Readonly<Record<PlanName, number>>;
  /** By round, the product's time as a multiple of the fastest plan's. */
  readonly ratios: readonly number[];
}

export interface SearchPlace {
  readonly adminUrl: string;
  /** As the mail service signs in. */
  readonly url: string;
  readonly tenantId: string;
  readonly mailbox: string;
}

type Contestant = PlanName | 'product';
type Search = (termClass: TermClass) => Promise<string[]>;
type Round = ReadonlyMap<Contestant, number>;

/** In each round every class, and for it every contestant in random order. */
export async function compareSearches(
  place: SearchPlace,
  { rounds, signal }: Pick<RunOptions, 'rounds' | 'signal'>,
): Promise<ClassFigures[]> {
  const client = new Client({ connectionString: place.url });
  await client.connect();
  try {
    const contestants = await makeContestants(place, client);
    const history = new Map<TermClass, [Round, ...Round[]]>();
    for (const one of termClasses) history.set(one, [await warmUp(contestants, one)]);
    for (let round = 0; round < rounds; round += 1) {
      for (const [termClass, before] of shuffled([...history])) {
        signal.throwIfAborted();
        before.push(await measure(contestants, termClass, before[0]));
      }
    }
    return termClasses.map((one) => figuresOf(one, history.get(one) ?? []));
  } finally {
    await client.end();
  }
}

/**
 * All contestants share one connection. Whether a backend runs on the same core as its client matters
 * as much as a short search, and with a backend each it would stay so for the whole run.
 */
async function makeContestants(
  { adminUrl, tenantId, mailbox }: SearchPlace,
  client: Client,
): Promise<ReadonlyMap<Contestant, Search>> {
  await addPlans(adminUrl);
  const asking =
    (name: Contestant, text: string, valuesOf: (termClass: TermClass) => unknown[]): Search =>
    async (termClass) => {
      const values = [tenantId, ...valuesOf(termClass)];
      const { rows } = await client.query<{ message: string }>({ name, text, values });
      return rows.map(({ message }) => message);
    };
  const product = asking(
    'product',
    'SELECT message FROM search_messages($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10)',
    ({ q }) => searchArguments({ mailbox, query: parseQuery(q), limit: 25, me: null }),
  );
  const plans = planNames.map((name) => {
    const text = `SELECT message FROM bench_${name}($1, $2, $3, $4) AS message`;
    return [name, asking(name, text, ({ tsquery, unread }) => [mailbox, tsquery, unread])] as const;
  });
  return new Map<Contestant, Search>([['product', product], ...plans]);
}

async function addPlans(adminUrl: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    for (const name of planNames) await admin.query(planFunction(name));
  } finally {
    await admin.end();
  }
}

/**
 * The first round: it warms up, and finds the plans that are too slow to be measured again.
 * @throws Error when contestants find different messages: the comparison would mean nothing
 */
async function warmUp(
  contestants: ReadonlyMap<Contestant, Search>,
  termClass: TermClass,
): Promise<Round> {
  const times = new Map<Contestant, number>();
  const found = new Set<string>();
  for (const [name, ask] of contestants) {
    for (let ms = 0; ms < 100;) {
      const began = performance.now();
      found.add((await ask(termClass)).join());
      const took = performance.now() - began;
      times.set(name, Math.min(times.get(name) ?? Infinity, took));
      ms += took + 10;
    }
  }
  if (found.size > 1) throw new Error(`contestants found different messages for ${termClass.q}`);
  return times;
}

async function measure(
  contestants: ReadonlyMap<Contestant, Search>,
  termClass: TermClass,
  first: Round,
): Promise<Round> {
  const times = new Map<Contestant, number>();
  const asked = [...contestants].filter(
    ([name]) => (first.get(name) ?? 0) <= fastest(first) * hopeless,
  );
  for (let i = 0; i < repeats; i += 1) {
    for (const [name, ask] of shuffled(asked)) {
      const began = performance.now();
      await ask(termClass);
      times.set(name, Math.min(times.get(name) ?? Infinity, performance.now() - began));
    }
  }
  return times;
}

const fastest = (round: Round): number =>
  Math.min(...planNames.map((name) => round.get(name) ?? Infinity));

function figuresOf({ id, title }: TermClass, history: readonly Round[]): ClassFigures {
  const [first, ...measured] = history;
  const middle = (name: Contestant): number => {
    const times = measured.flatMap((round) => round.get(name) ?? []);
    return times.length > 0 ? quartiles(times).median : (first?.get(name) ?? NaN);
  };
  return {
    id,
    title,
    productMs: middle('product'),
    plansMs: {
      planner: middle('planner'),
      walk: middle('walk'),
      index: middle('index'),
      sequential: middle('sequential'),
    },
    ratios: measured.map((round) => (round.get('product') ?? NaN) / fastest(round)),
  };
}
