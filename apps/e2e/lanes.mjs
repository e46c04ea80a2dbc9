import { readFile } from 'node:fs/promises';
import Runner from 'jest-runner';

const ownProducts = /from '[.][/](product-process|signing-domain|campaign[/]world)[.]js'/;

/**
 * Runs the spec files in lanes beside each other, each one file at a time in a process of its own.
 * Those of the shared product time what they see, and some count what their workspace holds:
 * never two of them at once. Those that start products of their own, and kill them, wait most of
 * the time, for processes, leases, brokers, and have two lanes.
 */
export default class Lanes extends Runner {
  /** How many files may have products of their own at once. */
  starterLanes = 2;

  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: 1 }, context);
  }

  /** `serial` is `--runInBand`, or so few files that lanes do not pay. */
  async runTests(tests, watcher, options) {
    if (options.serial) return super.runTests(tests, watcher, options);
    const starters = new Set(await only(tests, startsItsOwn));
    const rest = tests.filter((test) => !starters.has(test));
    const lanes = [...dealt([...starters], this.starterLanes), rest].filter(
      (lane) => lane.length > 0,
    );
    await Promise.all(lanes.map((lane) => super.runTests(lane, watcher, options)));
  }
}

/** In turn, so that the longest, which Jest puts first, are spread. */
const dealt = (tests, lanes) =>
  Array.from({ length: lanes }, (_, lane) => tests.filter((_test, i) => i % lanes === lane));

/** What a spec file imports tells its lane: there is no list to forget it in. */
const startsItsOwn = async ({ path }) => ownProducts.test(await readFile(path, 'utf8'));

async function only(tests, holds) {
  const held = await Promise.all(tests.map(holds));
  return tests.filter((_, i) => held[i]);
}
