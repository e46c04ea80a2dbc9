import { storingServiceNames } from '@postroom/contracts';
import { replayPublished } from '@postroom/operations';
import { UsageError, type Command } from './command.js';
import { withOutbox } from './with-outbox.js';

/** A day less than consumers remember what they had (`purge_inbox`): none has an effect twice. */
const daysMax = 6;

/** Fills an emptied broker again from the databases. */
export const replayOutbox: Command = {
  words: ['outbox', 'replay'],
  usage: `postroom outbox replay [SERVICE] --since TIME
    Publishes once more what a service (${storingServiceNames.join(' or ')}; all of them
    when none is named) has published since a time of the last ${daysMax} days
    (2026-01-31T12:00:00Z), for a broker that has lost it, and says how many events these are. Who had
    an event does nothing again.`,
  async run({ rest, options, env }) {
    const { since: given = '' } = options;
    const since = new Date(given);
    const isRecent = Date.now() - since.getTime() <= daysMax * 86_400_000;
    if (rest.length > 1 || !isRecent) throw new UsageError();
    const lines: string[] = [];
    for (const service of rest.length > 0 ? rest : storingServiceNames) {
      const count = await withOutbox({ rest: [service], env }, (database) =>
        replayPublished(database, since),
      );
      lines.push(`${service}: ${count} events leave once more.`);
    }
    return lines;
  },
};
