import type { FetchMessageObject, StatusObject } from 'imapflow';
import type { Flagged, FolderNumbers, Head, Source } from './remote-mailbox.js';

/** The highest UID (RFC 9051 §9, nz-number). */
export const uidMax = 2 ** 32 - 1;
const flagsMax = 100;
const flagLengthMax = 100;
const messageIdLengthMax = 998;

export const isSame = (now: FolderNumbers, before: FolderNumbers): boolean =>
  now.uidValidity === before.uidValidity &&
  now.uidNext === before.uidNext &&
  now.counted === before.counted &&
  now.highestModseq === before.highestModseq &&
  now.highestModseq !== null;

export const numbersIn = (
  told: Pick<StatusObject, 'uidValidity' | 'uidNext' | 'highestModseq'>,
  messages: number | undefined,
): FolderNumbers => ({
  uidValidity: String(told.uidValidity ?? 0),
  uidNext: Math.min(told.uidNext ?? 1, uidMax),
  highestModseq: told.highestModseq ? String(told.highestModseq) : null,
  counted: messages ?? 0,
});

export const flaggedOf = ({ uid, flags, modseq }: FetchMessageObject): Flagged => ({
  uid,
  flags: [...(flags ?? [])].slice(0, flagsMax).map((flag) => flag.slice(0, flagLengthMax)),
  modseq: modseq === undefined ? null : String(modseq),
});

export function headOf(row: FetchMessageObject): Head | null {
  const { size, internalDate, headers } = row;
  if (size === undefined || !row.flags) return null;
  const at = internalDate === undefined ? null : new Date(internalDate);
  return {
    ...flaggedOf(row),
    sizeBytes: size,
    receivedAt: at === null || Number.isNaN(at.getTime()) ? null : at,
    messageId: messageIdIn(headers),
  };
}

function messageIdIn(headers: Buffer | undefined): string | null {
  const text = headers?.subarray(0, 2 * messageIdLengthMax).toString('latin1') ?? '';
  const from = text.indexOf('<');
  const to = text.indexOf('>', from);
  return from < 0 || to < 0 ? null : text.slice(from + 1, to).trim() || null;
}

export const withSource = (
  head: Head | undefined,
  raw: Buffer | undefined,
  isWhole: boolean,
): Source | null => (head && raw ? { ...head, raw, isWhole } : null);

/** UIDs as a sequence set of ranges. */
export function compact(uids: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const uid of uids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && uid <= last[1] + 1) last[1] = uid;
    else ranges.push([uid, uid]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}:${to}`)).join(',');
}
