import { readFile } from 'node:fs/promises';
import Runner from 'jest-runner';

const ownProducts = /from '[.][/]product-process[.]js'/;

/**
 * Runs the spec files in two lanes beside each other, each one file at a time in a process of its
 * own. Those of the shared product time what they see, and some count what their workspace holds:
 * never two of them at once. Those that start products of their own, and kill them, wait most of
 * the time: for processes, leases, brokers. One of them at a time, too: between choosing its free
 * ports and listening there, no other chooses any.
 */
export default class Lanes extends Runner {
  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: 1 }, context);
  }

  /** `serial` is `--runInBand`, or so few files that lanes do not pay. */
  async runTests(tests, watcher, options) {
    if (options.serial) return super.runTests(tests, watcher, options);
    const starters = new Set(await only(tests, startsItsOwn));
    const lanes = [[...starters], tests.filter((test) => !starters.has(test))];
    const used = lanes.filter((lane) => lane.length > 0);
    await Promise.all(used.map((lane) => super.runTests(lane, watcher, options)));
  }
}

/** What a spec file imports tells its lane: there is no list to forget it in. */
const startsItsOwn = async ({ path }) => ownProducts.test(await readFile(path, 'utf8'));

async function only(tests, holds) {
  const held = await Promise.all(tests.map(holds));
  return tests.filter((_, i) => held[i]);
}
