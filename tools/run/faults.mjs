import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, run } from './child.mjs';
import { scenarios } from './scenarios.mjs';

const usage = `Usage: npm run faults -- [--scenario NAME] [--seeds N] [--cluster] [--again]

  --scenario NAME  this one only, in the topologies that it can happen in: ${Object.keys(scenarios).join(', ')}
  --seeds N        with the seeds 1 to N of what goes by chance; 1 unless told
  --cluster        over Kafka too, and what only several processes can show
  --again          from the beginning: runs that have passed are not run again otherwise
`;

const history = join(root, 'dist', 'faults.ndjson');

/**
 * Runs the scenarios one by one and prints a table. Each run is recorded as it ends, so that a command that was
 * interrupted goes on where it was.
 * @returns whether all have passed
 */
export async function runFaults(node, args) {
  const { scenario, seeds, ...options } = readOptions(args);
  if (options.again) await rm(history, { force: true });
  await mkdir(join(root, 'dist'), { recursive: true });
  const done = await recorded();
  for (const planned of plan(scenario, seeds, options.cluster)) {
    const name = nameOf(planned);
    if (done.get(name)?.outcome === 'passed' && scenario === undefined) continue;
    console.error(`${name} ...`);
    const ended = { ...planned, ...(await runScenario(node, planned)) };
    if (ended.outcome === 'stopped') break;
    done.set(name, ended);
    await appendFile(history, `${JSON.stringify(ended)}\n`);
  }
  const ended = plan(scenario, seeds, options.cluster).map((one) => done.get(nameOf(one)) ?? one);
  console.log(table(ended));
  return ended.every(({ outcome }) => outcome === 'passed' || outcome === 'skipped');
}

function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: 'string' },
      seeds: { type: 'string', default: '1' },
      cluster: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
    },
  });
  const seeds = Number(values.seeds);
  const isKnown = values.scenario === undefined || Object.hasOwn(scenarios, values.scenario);
  if (!isKnown || !Number.isInteger(seeds) || seeds < 1) throw new Error(usage);
  return { ...values, seeds };
}

/** Every run: a scenario in a topology with a seed. */
export const plan = (scenario, seeds, isClusterWanted) =>
  Object.entries(scenarios)
    .filter(([name]) => scenario === undefined || name === scenario)
    .flatMap(([name, { topologies }]) =>
      topologies
        .filter((one) => one === 'process' || isClusterWanted || scenario !== undefined)
        .flatMap((topology) =>
          Array.from({ length: seeds }, (_, i) => ({ scenario: name, topology, seed: i + 1 })),
        ),
    );

const nameOf = ({ scenario, topology, seed }) => `${scenario}, ${topology}, seed ${seed}`;

async function recorded() {
  const text = await readFile(history, 'utf8').catch(() => '');
  const runs = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return new Map(runs.map((one) => [nameOf(one), one]));
}

async function runScenario(node, { scenario, topology, seed }) {
  const began = performance.now();
  let tests = 0;
  let outcome = 'skipped';
  for (const { file, pattern, isSpec } of scenarios[scenario].runs) {
    const report = join(root, 'dist', 'faults-run.json');
    await rm(report, { force: true });
    const suite = /\/(faults|drills)\//.test(file) ? 'faults' : topology;
    const { ok, signal } = await run(
      node,
      [
        'node_modules/.bin/jest',
        ...(isSpec ? [] : ['-c', 'apps/e2e/jest.config.mjs']),
        ...[file, '--json', `--outputFile=${report}`],
        ...(pattern === undefined ? [] : ['-t', pattern]),
      ],
      {
        settings: {
          E2E_SUITE: suite,
          POSTROOM_E2E_TOPOLOGY: topology,
          FAULT_SEED: String(seed),
        },
      },
    );
    if (signal) return { outcome: 'stopped' };
    const { numPassedTests = 0 } = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'));
    tests += numPassedTests;
    if (!ok) outcome = 'FAILED';
    else if (numPassedTests > 0 && outcome === 'skipped') outcome = 'passed';
  }
  return { outcome, tests, seconds: Math.round((performance.now() - began) / 1000) };
}

/** A row a scenario, a column a topology: the runs that passed, of those that there were, and their time. */
export function table(ended) {
  const cell = (name, topology) => {
    const runs = ended.filter((one) => one.scenario === name && one.topology === topology);
    if (runs.length === 0) return '';
    const count = (outcome) => runs.filter((one) => one.outcome === outcome).length;
    if (count('skipped') === runs.length) return 'skipped';
    const seconds = runs.reduce((sum, one) => sum + (one.seconds ?? 0), 0);
    return `${count('passed')} of ${runs.length}, ${seconds} s${count('FAILED') > 0 ? ', FAILED' : ''}`;
  };
  const names = [...new Set(ended.map(({ scenario }) => scenario))];
  const row = (name) => [name, scenarios[name].fault, cell(name, 'process'), cell(name, 'cluster')];
  const all = [['scenario', 'fault', 'one process', 'over Kafka'], ...names.map(row)];
  const widths = all[0].map((_, at) => Math.max(...all.map((cells) => cells[at].length)));
  const lines = all.map(
    (cells) => `| ${cells.map((one, at) => one.padEnd(widths[at])).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}
