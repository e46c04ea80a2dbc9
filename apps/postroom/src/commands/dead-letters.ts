import {
  type DeadLetterAccess,
  deadLetterTopic,
  declaredTopics,
  listDeadLetters,
  replayDeadLetters,
} from '@postroom/bus';
import { createLog } from '@postroom/service';
import { findKafka } from '../kafka.js';
import { loadClusterConfig } from '../load-config.js';
import { UsageError, type Command, type CommandLine } from './run-command.js';

/** Lists the dead letters of a consumer. */
export const listDead: Command = {
  words: ['dead-letters', 'list'],
  usage: `postroom dead-letters list CONSUMER
    Prints what a consumer (or a service) could not handle, one JSON object a line: the oldest
    thousand, in order.`,
  async run(line) {
    const { options, consumer } = await target(line);
    const letters = await listDeadLetters(options, consumer);
    return letters.map(({ value, ...letter }) =>
      JSON.stringify({ ...letter, value: value.toString() }),
    );
  },
};

/** Delivers its dead letters to a consumer again. */
export const replayDead: Command = {
  words: ['dead-letters', 'replay'],
  usage: `postroom dead-letters replay CONSUMER
    Gives a consumer its dead letters once more, and says how many they were.`,
  async run(line) {
    const { options, consumer } = await target(line);
    return [`${await replayDeadLetters(options, consumer)} sent to ${consumer} again.`];
  },
};

async function target({
  rest,
  env,
}: CommandLine): Promise<{ options: DeadLetterAccess; consumer: string }> {
  const config = loadClusterConfig(env);
  const { kafkaPrefix: prefix } = config;
  const [consumer, ...more] = rest;
  const topics = declaredTopics({ prefix }).map(({ name }) => name);
  if (!consumer || more.length > 0 || !topics.includes(deadLetterTopic(consumer, prefix))) {
    const names = declaredTopics({ prefix })
      .filter(({ kind }) => kind === 'dead-letters')
      .map(({ name }) => name.slice(deadLetterTopic('', prefix).length));
    throw new UsageError(`Of which consumer? ${names.join(', ')}`);
  }
  const { connection } = await findKafka(env);
  const log = createLog({ level: config.logLevel, format: 'plain' });
  return { options: { ...connection, prefix, log }, consumer };
}
