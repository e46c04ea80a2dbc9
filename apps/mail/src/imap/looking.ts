import { flaggedOf, isSame, numbersIn, uidMax } from './fetched-rows.js';
import { ordinary, uidsMax, type ImapClient } from './imap-client.js';
import type { Changes, Flagged, FolderNumbers, SeenFolder } from './remote-mailbox.js';

const flagsAtOnce = 5_000;
/** The size of the flags of a message in a server's answer. */
const flagBytes = 200;

/** Looks at a folder: what is new there, has changed, and is gone since it was last looked at. */
export function changesOf(
  client: ImapClient,
  path: string,
  known: SeenFolder | null,
  horizon: Date | null,
): Promise<Changes> {
  const bytes = ordinary.bytes + flagBytes * Math.min(known?.since.counted ?? 0, uidsMax);
  return client.within({ bytes, ms: 10 * 60_000 }, async () => {
    client.looksAt(path);
    const numbers = await numbersOf(client, path);
    client.hasCounted(path, numbers.counted);
    const nothing = { numbers, uids: [], vanished: [], present: null };
    if (known && isSame(numbers, known.since) && !known.since.allFlags) return nothing;
    return client.opened(path, async () => {
      const to = numbers.uidNext - 1;
      if (
        known?.since.uidValidity !== numbers.uidValidity ||
        known.since.uidNext > numbers.uidNext
      ) {
        return { ...nothing, uids: await uidsIn(client, 1, to, horizon) };
      }
      const { since } = known;
      const uids = await uidsIn(client, since.uidNext, to, null);
      const vanished = await changed(client, known, numbers);
      // Without QRESYNC nothing says which are gone; the count does that some are.
      const isTold = since.counted + uids.length - vanished.length === numbers.counted;
      const present = isTold ? null : await uidsIn(client, since.readFrom, to, null);
      return { numbers, uids, vanished, present };
    });
  });
}

async function numbersOf(client: ImapClient, path: string): Promise<FolderNumbers> {
  const { flow } = client;
  const query = { messages: true, uidNext: true, uidValidity: true, highestModseq: true };
  const status = await flow.status(path, query).catch(() => false as const);
  if (status && status.uidNext && status.uidValidity) return numbersIn(status, status.messages);
  return client.opened(path, async () => {
    if (!flow.mailbox) throw new Error(`the folder ${path} cannot be opened`);
    const uids = await uidsIn(client, 1, uidMax, null);
    const uidNext = (uids.at(-1) ?? 0) + 1;
    return numbersIn({ ...flow.mailbox, uidNext }, flow.mailbox.exists);
  });
}

/** UIDs of the opened folder, ascending, each once. */
async function uidsIn(
  client: ImapClient,
  from: number,
  to: number,
  horizon: Date | null,
): Promise<number[]> {
  if (from > to) return [];
  const asked = { uid: `${from}:${to}`, ...(horizon && { since: horizon }) };
  const found = await client.flow.search(asked, { uid: true });
  if (!Array.isArray(found)) throw client.because('the server does not say what is in the folder');
  const inRange = found.filter((uid) => uid >= from && uid <= to);
  return [...new Set(inRange)].sort((a, b) => a - b).slice(-uidsMax);
}

/** @returns UIDs that are gone, if the server names them */
async function changed(
  client: ImapClient,
  { since, keepFlags }: SeenFolder,
  numbers: FolderNumbers,
): Promise<readonly number[]> {
  const known = since.uidNext - 1;
  if (known < 1) return [];
  const ask = async (from: number, to: number, changedSince?: bigint): Promise<void> => {
    const options = { uid: true, ...(changedSince !== undefined && { changedSince }) };
    const flagged: Flagged[] = [];
    for await (const row of client.flow.fetch(`${from}:${to}`, { flags: true }, options)) {
      if (row.uid && row.uid <= known && row.flags) flagged.push(flaggedOf(row));
      if (flagged.length >= flagsAtOnce) await keepFlags(flagged.splice(0));
    }
    await keepFlags(flagged);
  };
  const { highestModseq, readFrom } = since;
  const vanished = await client.vanishedDuring(async () => {
    if (highestModseq !== null && numbers.highestModseq !== null) {
      if (highestModseq !== numbers.highestModseq) await ask(1, known, BigInt(highestModseq));
    } else if (since.allFlags) {
      for (let from = readFrom; from <= known; from += flagsAtOnce) {
        await ask(from, Math.min(known, from + flagsAtOnce - 1));
      }
    }
  });
  return vanished.filter((uid) => uid <= known);
}
