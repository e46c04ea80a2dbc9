import { readFile } from 'node:fs/promises';
import Sequencer from '@jest/test-sequencer';

const startsServers =
  /kafka-world[.]js|testing\/product[.]js|\bstart(Broker|Postgres)\b|reminder-replica|TopicWriter/;

/**
 * Files that start brokers, databases or products come first: they wait most of the time, and one that
 * comes last keeps the others waiting. In a fresh clone Jest knows of a file its size alone.
 */
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = super.sort(tests);
    const starts = await Promise.all(
      sorted.map(async ({ path }) => startsServers.test(await readFile(path, 'utf8'))),
    );
    return [...sorted.filter((_, i) => starts[i]), ...sorted.filter((_, i) => !starts[i])];
  }
}
