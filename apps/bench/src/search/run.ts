import { resultOfRatios, type Part } from '../result.js';
import type { BenchDatabase } from '../rig/database.js';
import type { RunOptions } from '../rounds.js';
import { termClasses } from './classes.js';
import { fill, messages } from './fill.js';
import { compareSearches } from './searches.js';
import { deepPage, measureWalk } from './walk.js';

const searchGoal = 1.5;
const walkGoal = 1.2;

export const searchLines = ['D-list', ...termClasses.map(({ id }) => `D-${id}`)];

/** Bench D: searches and deep pages in a mailbox of a million messages. */
export async function runSearchBench(
  database: BenchDatabase,
  options: RunOptions,
  say: (text: string) => void,
): Promise<Part> {
  const { adminUrl, setup } = database;
  const { caller, mailbox } = setup.facts;
  const place = { adminUrl, tenantId: caller.tenantId, mailbox };
  say(`D: filling a mailbox with ${messages.toLocaleString('en')} messages ...`);
  const filled = await fill(place, options.signal);
  say(`D: filled in ${filled.seconds.toFixed(0)} s, ${options.rounds} rounds of searches ...`);
  const searches = await compareSearches({ ...place, url: setup.databaseUrls.mail }, options);
  say(`D: ${options.rounds} rounds of page 1 and page ${deepPage} of the list ...`);
  const walk = await measureWalk(setup, options);
  const list = resultOfRatios(
    ['D-list', `list: page ${deepPage} / page 1`],
    walk,
    'at most',
    walkGoal,
  );
  const ofSearches = searches.map(({ id, title, ratios }) =>
    resultOfRatios(
      [`D-${id}`, `search, ${title}: product / fastest plan`],
      ratios,
      'at most',
      searchGoal,
    ),
  );
  return { results: [list, ...ofSearches], figures: { searches, filled } };
}
