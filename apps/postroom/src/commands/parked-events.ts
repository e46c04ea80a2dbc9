import { storingServiceNames } from '@postroom/contracts';
import { listParked, releaseParked } from '@postroom/operations';
import type { Command } from './command.js';
import { withOutbox } from './with-outbox.js';

/** Lists the events of a service's outbox that the bus refused. */
export const listParkedEvents: Command = {
  words: ['parked-events', 'list'],
  usage: `postroom parked-events list SERVICE
    Prints the events that the bus has refused, one JSON object a line: the oldest thousand of the
    service (${storingServiceNames.join(' or ')}), with the cause.`,
  run: (line) =>
    withOutbox(line, async (database) =>
      (await listParked(database)).map((event) => JSON.stringify(event)),
    ),
};

/** Publishes them again. */
export const releaseParkedEvents: Command = {
  words: ['parked-events', 'release'],
  usage: `postroom parked-events release SERVICE
    Has the events that the bus has refused leave once more, and says how many they were. What it
    still refuses is parked again.`,
  run: (line) =>
    withOutbox(line, async (database) => [`${await releaseParked(database)} released.`]),
};
