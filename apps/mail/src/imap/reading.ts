import type { MessageAuth } from '@postroom/contracts';
import type { Budget } from '@postroom/limits';
import { fallbackOf, type MessageParser, type ReadMessage } from '@postroom/mime/parser';
import type { MailConfig } from '../config.js';
import type { KnownFolder, Ledger } from './ledger.js';
import type { Wanted } from './message-ledger.js';
import {
  sourceBytesMax,
  type Fetched,
  type Head,
  type RemoteMailbox,
  type Source,
} from './remote-mailbox.js';

/** A mailbox that is being read, and what reads it. */
export interface Sync {
  readonly remote: RemoteMailbox;
  readonly ledger: Ledger;
  readonly parser: MessageParser;
  /** Stores messages without events. Their bytes are gone from here then. */
  readonly store: (folder: KnownFolder, came: readonly Source[]) => Promise<void>;
  /** Bounds the bytes of messages that are fetched and not yet stored. */
  readonly bytes: Budget<'workspace'>;
  readonly quotas: Pick<MailConfig, 'quotaStoredBytes' | 'quotaArrivingBytes'>;
  /** Reads the verdicts of the account's own server on a sender; null where it gives none that could be trusted. */
  readonly verdictsIn: (raw: Buffer) => MessageAuth | null;
  /** Called with a message that has arrived, once it is stored. */
  readonly arrived: (receivedAt: Date | null) => void;
}

/** Messages that are fetched and stored together. */
const pieceBytes = 4 * 1024 * 1024;
const pieceMessages = 50;

/** A message as it was fetched and parsed. */
export interface ReadSource extends Source {
  readonly parsed: ReadMessage;
}

/** Messages that came, and the fault that ended the connection meanwhile. */
export interface Piece {
  readonly came: readonly Source[];
  readonly fault?: Error;
  /** Has to be called once they are stored: until then their bytes count. */
  readonly done: () => void;
}

/**
 * Fetches the next messages of a folder that are wanted; null when there is none. One that did not come before is
 * asked for alone, so that it cannot take others with it. What does not come is counted against it.
 */
export async function fetchPiece(
  sync: Sync,
  folder: KnownFolder,
  wanted: Wanted,
): Promise<Piece | null> {
  const { remote, ledger } = sync;
  const found = await ledger.change((changing) =>
    ledger.messages.wanted(changing, folder, wanted, pieceMessages),
  );
  const fresh = found.filter(({ attempts }) => attempts === 0);
  const asked = (fresh.length > 0 ? fresh : found.slice(0, 1)).map(({ uid }) => uid);
  if (asked.length === 0) return null;
  const heads = await remote.heads(folder.path, asked);
  const chosen = heads.fault === undefined ? fitting(heads.came) : [];
  const done = await bytesHeld(sync, chosen);
  try {
    return { ...(await sourcesOf(sync, folder, heads, chosen)), done };
  } catch (error) {
    done();
    throw error;
  }
}

async function sourcesOf(
  { remote, ledger }: Sync,
  folder: KnownFolder,
  heads: Fetched<Head>,
  chosen: readonly Head[],
): Promise<Omit<Piece, 'done'>> {
  const sources = await remote.sources(folder.path, chosen);
  const fault = heads.fault ?? sources.fault;
  const missing = [...heads.missing, ...sources.missing];
  // Servers answer in order, so that the first one that did not come is the one that broke off.
  const suspects = fault === undefined ? missing : missing.sort((a, b) => a - b).slice(0, 1);
  if (suspects.length > 0) {
    await ledger.change((changing) => ledger.messages.missed(changing, folder, suspects));
  }
  return { came: sources.came, ...(fault !== undefined && { fault }) };
}

/**
 * Waits until so many bytes may be held.
 * @returns what gives them back
 */
function bytesHeld({ bytes, ledger }: Sync, heads: readonly Head[]): Promise<() => void> {
  const amount = heads.reduce((sum, { sizeBytes }) => sum + Math.min(sizeBytes, sourceBytesMax), 0);
  return new Promise((resolve, reject) => {
    const held = (): Promise<void> => new Promise(resolve);
    bytes.runInTurn({ workspace: ledger.mailbox.tenantId }, held, { amount }).catch(reject);
  });
}

/** As many as a piece has room for, at least one. */
function fitting(heads: readonly Head[]): readonly Head[] {
  let bytes = 0;
  return heads.filter(({ sizeBytes }, at) => {
    bytes += sizeBytes;
    return at === 0 || bytes <= pieceBytes;
  });
}

/** Parses a message; one that was too large to be fetched is shown by its header. */
export async function parse(
  { parser, ledger }: Pick<Sync, 'parser' | 'ledger'>,
  source: Source,
): Promise<ReadSource> {
  if (source.isWhole) {
    return { ...source, parsed: await parser.parse(source.raw, ledger.mailbox.tenantId) };
  }
  const mebibytes = Math.round(source.sizeBytes / 1024 / 1024);
  const note = `This message has ${mebibytes} MiB. It is at your mail server: only its header was read.\r\n`;
  const raw = Buffer.concat([source.raw, Buffer.from(note)]);
  return { ...source, raw, parsed: fallbackOf(raw) };
}
