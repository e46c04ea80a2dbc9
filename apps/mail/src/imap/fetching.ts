import type { FetchMessageObject, FetchQueryObject } from 'imapflow';
import { compact, headOf, withSource } from './fetched-rows.js';
import { mebi, ordinary, type Bounds, type ImapClient } from './imap-client.js';
import { sourceBytesMax, type Fetched, type Head, type Source } from './remote-mailbox.js';

const rowsAtOnce = 500;

export function headsOf(
  client: ImapClient,
  path: string,
  uids: readonly number[],
): Promise<Fetched<Head>> {
  const query = { uid: true, flags: true, size: true, internalDate: true };
  return fetched(client, path, uids, { ...query, headers: ['message-id'] }, ordinary, headOf);
}

/** Those over 50 MiB are fetched by their headers alone. */
export async function sourcesOf(
  client: ImapClient,
  path: string,
  heads: readonly Head[],
): Promise<Fetched<Source>> {
  const byUid = new Map(heads.map((head) => [head.uid, head]));
  const small = heads.filter(({ sizeBytes }) => sizeBytes <= sourceBytesMax);
  const bytes = small.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const whole = await fetched(
    client,
    path,
    small.map(({ uid }) => uid),
    { uid: true, source: true },
    { bytes: 2 * bytes + mebi, ms: 10 * 60_000 },
    ({ uid, source }) => withSource(byUid.get(uid), source, true),
  );
  if (whole.fault !== undefined) return whole;
  const large = heads.filter(({ sizeBytes }) => sizeBytes > sourceBytesMax);
  const others = await fetched(
    client,
    path,
    large.map(({ uid }) => uid),
    { uid: true, headers: true },
    { bytes: 4 * mebi * Math.max(1, large.length), ms: ordinary.ms },
    ({ uid, headers }) => withSource(byUid.get(uid), headers, false),
  );
  const came = [...whole.came, ...others.came];
  return { ...others, came, missing: [...whole.missing, ...others.missing] };
}

/** Asks for messages of a folder, collects what comes, and says what did not. */
async function fetched<T extends { readonly uid: number }>(
  client: ImapClient,
  path: string,
  uids: readonly number[],
  query: FetchQueryObject,
  bounds: Bounds,
  read: (row: FetchMessageObject) => T | null,
): Promise<Fetched<T>> {
  const missing = new Set(uids);
  const came: T[] = [];
  const take = (row: FetchMessageObject): void => {
    if (!missing.has(row.uid)) return;
    const one = read(row);
    if (!one) return;
    missing.delete(row.uid);
    came.push(one);
  };
  try {
    for (let at = 0; at < uids.length; at += rowsAtOnce) {
      const range = compact(uids.slice(at, at + rowsAtOnce));
      await client.within(bounds, () =>
        client.opened(path, async () => {
          for await (const row of client.flow.fetch(range, query, { uid: true })) take(row);
        }),
      );
    }
    return { came, missing: [...missing] };
  } catch (error) {
    const fault = Error.isError(error) ? error : new Error(String(error));
    return { came, missing: [...missing], fault };
  }
}
