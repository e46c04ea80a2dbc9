import { calendarEvents, tasks } from '@postroom/contracts';
import { RRuleTemporal } from 'rrule-temporal';
import { quartiles } from '../quartiles.js';
import type { Result } from '../result.js';
import type { BenchDatabase } from '../rig/database.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';
import { dayMs, firstMs, Planned, ruleOf } from './planned.js';

/** Bench W: windows of calendars, and pages of tasks. */
export interface WindowBenchResult {
  readonly results: readonly Result[];
  /** Medians over the rounds, milliseconds. */
  readonly figures: Readonly<Record<string, number>>;
}

const turns = 10;
const from = firstMs + 90 * dayMs;
const to = from + 31 * dayMs;

type Work = () => unknown;

interface Compared {
  readonly id: string;
  readonly title: string;
  readonly goal: number;
  readonly own: Work;
  readonly twin: Work;
}

export async function runWindowBench(
  database: BenchDatabase,
  { rounds, signal }: Pick<RunOptions, 'rounds' | 'signal'>,
): Promise<WindowBenchResult> {
  const planned = await Planned.start(database);
  try {
    const all = await comparisons(planned);
    const ratios = new Map<string, number[]>(all.map(({ id }) => [id, []]));
    const times = new Map<string, number[]>();
    for (const one of all) await measured(one);
    for (let round = 0; round < rounds; round += 1) {
      for (const one of all) {
        signal.throwIfAborted();
        const { own, twin } = await measured(one);
        ratios.get(one.id)?.push(own / twin);
        times.set(one.id, [...(times.get(one.id) ?? []), own]);
        times.set(`${one.id}-twin`, [...(times.get(`${one.id}-twin`) ?? []), twin]);
      }
    }
    const results = all.map(({ id, title, goal }): Result => ({
      ...{ id, title, goal, rounds, direction: 'at most', ratio: quartiles(ratios.get(id) ?? []) },
    }));
    const medians = [...times].map(([id, taken]) => [id, quartiles(taken).median] as const);
    return { results, figures: Object.fromEntries(medians) };
  } finally {
    await planned.stop();
  }
}

async function comparisons(planned: Planned): Promise<readonly Compared[]> {
  const [series, ended] = [await planned.withSeries(), await planned.withEnded()];
  const empty = await planned.calendar('empty');
  await planned.withTasks();
  await planned.analyze();
  const window = (calendarId: string) => () =>
    planned.ask(calendarEvents.list, { from, to, calendarId });
  return [
    {
      ...{ id: 'W-window', title: 'month of 1,000 series / the library alone', goal: 1.5 },
      own: window(series),
      twin: libraryAlone,
    },
    {
      ...{ id: 'W-tasks', title: 'page of 200 tasks / its bare query', goal: 1.5 },
      own: () => planned.ask(tasks.list, { limit: 200 }),
      twin: () => bareTasks(planned),
    },
    {
      ...{ id: 'W-ended', title: 'month of 10,000 ended series / of none', goal: 1.2 },
      own: window(ended),
      twin: window(empty),
    },
  ];
}

/** The same rules, each read and expanded by the library, by the clocks of the zone. */
function libraryAlone(): number {
  let found = 0;
  for (let i = 0; i < 1000; i += 1) {
    const wall = new Date(firstMs + i * 60_000 + 3_600_000).toISOString().replaceAll(/[-:]/g, '');
    const start = `DTSTART;TZID=Europe/Paris:${wall.slice(0, 15)}`;
    const rule = new RRuleTemporal({ rruleString: `${start}\nRRULE:${ruleOf(i)}` });
    found += rule.between(new Date(from), new Date(to), true).length;
  }
  return found;
}

const bareTasks = ({ admin, caller }: Planned) =>
  admin.query({
    name: 'bare-tasks',
    text: `SELECT (l.task).*, l.total FROM list_tasks($1, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, 201) l`,
    values: [caller.tenantId],
  });

/** The median time of each, taken in turn. */
async function measured({ own, twin }: Compared): Promise<{ own: number; twin: number }> {
  const taken = { own: [] as number[], twin: [] as number[] };
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, work] of shuffled(Object.entries({ own, twin }))) {
      const began = performance.now();
      await work();
      taken[name as 'own' | 'twin'].push(performance.now() - began);
    }
  }
  return { own: quartiles(taken.own).median, twin: quartiles(taken.twin).median };
}
