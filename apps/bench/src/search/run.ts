import { quartiles } from '../quartiles.js';
import type { Result } from '../result.js';
import type { BenchDatabase } from '../rig/database.js';
import type { RunOptions } from '../rounds.js';
import { fill, messages, type Filled } from './fill.js';
import { compareSearches, type ClassFigures } from './searches.js';
import { deepPage, measureWalk } from './walk.js';

/** Bench D: searches and deep pages in a mailbox of a million messages. */
export interface SearchBenchResult {
  readonly results: readonly Result[];
  readonly filled: Filled;
  readonly figures: readonly ClassFigures[];
}

const searchGoal = 1.5;
const walkGoal = 1.2;

export async function runSearchBench(
  database: BenchDatabase,
  options: RunOptions,
  say: (text: string) => void,
): Promise<SearchBenchResult> {
  const { adminUrl, setup } = database;
  const { caller, mailbox } = setup.facts;
  const place = { adminUrl, tenantId: caller.tenantId, mailbox };
  say(`D: filling a mailbox with ${messages.toLocaleString('en')} messages ...`);
  const filled = await fill(place, options.signal);
  say(`D: filled in ${filled.seconds.toFixed(0)} s, ${options.rounds} rounds of searches ...`);
  const figures = await compareSearches({ ...place, url: setup.databaseUrls.mail }, options);
  say(`D: ${options.rounds} rounds of page 1 and page ${deepPage} of the list ...`);
  const walk = await measureWalk(setup, options);
  const results = figures.map(({ id, title, ratios }) => ({
    id: `D-${id}`,
    title: `search, ${title}: product / fastest plan`,
    ratio: quartiles(ratios),
    rounds: ratios.length,
    goal: searchGoal,
    direction: 'at most' as const,
  }));
  const list: Result = {
    id: 'D-list',
    title: `list: page ${deepPage} / page 1`,
    ratio: quartiles(walk),
    rounds: walk.length,
    goal: walkGoal,
    direction: 'at most',
  };
  return { results: [list, ...results], filled, figures };
}
