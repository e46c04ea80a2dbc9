import type { ReplyEnvelope } from '@postroom/bus';
import { openApprovalStates } from '@postroom/contracts';
import type { ApprovalRow } from './approval-rows.js';

/** An outcome is repeated for so long after it was answered first. */
const repeatedMs = 10 * 60_000;

/**
 * The meaning of the same call again, where its Idempotency-Key was made of the call (`decisions.md` §7): a `repeat` of
 * the filing, the `first` answer of how it ended, a `repeat` unless its target has changed, or a call of its own,
 * `anew`. A rejection stands as long as its key is taken; any other end is told once before the call is filed anew.
 */
export function meaningOfRepeat(
  row: ApprovalRow,
  nowMs: number,
): 'repeat' | 'first' | 'unlessChanged' | 'anew' {
  const { state, answeredAt, targetId } = row;
  if (openApprovalStates.includes(state) || state === 'rejected') return 'repeat';
  if (answeredAt === null) return 'first';
  if (state !== 'executed' || nowMs - Date.parse(answeredAt) > repeatedMs) return 'anew';
  return targetId === null ? 'repeat' : 'unlessChanged';
}

/** The key of the filing after one, for the same call: of two such filings at once one is a repeat of the other. */
export const nextKey = (derived: string, { id }: ApprovalRow): string => `${derived}.${id}`;

/** True if a resource is at another version than when a write of it had been done. */
export function hasChangedSince({ resultBody }: ApprovalRow, version: number | null): boolean {
  const answer = JSON.parse(resultBody ?? '{}') as Readonly<Record<string, unknown>>;
  const versions = Object.values(answer).flatMap((one) =>
    typeof one === 'object' && one !== null && 'version' in one ? [one.version] : [],
  );
  return versions.length > 0 && !versions.includes(version);
}

/** Says in an answer when its write was done: nothing was written now. */
export const doneBefore = (
  reply: ReplyEnvelope,
  { closedAt }: ApprovalRow,
  header: string,
): ReplyEnvelope => ({
  ...reply,
  headers: { ...reply.headers, ...(closedAt !== null && { [header]: closedAt }) },
});
