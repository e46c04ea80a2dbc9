import { type TrafficOutcome, isWrite, type Write } from './traffic.js';

/** The fate of acknowledged writes after a restore. */
export interface Judgement {
  /** Acknowledged before the recovery point. */
  readonly before: number;
  /** Sent after it. */
  readonly after: number;
  /** Under way at it, by what became of them. */
  readonly between: { readonly restored: number; readonly gone: number };
  /** Those that were acknowledged before and are not there. */
  readonly lost: readonly Write[];
  /** Those that were sent after it and are there. */
  readonly risen: readonly Write[];
  /** Those that are there more than once. */
  readonly doubled: readonly Write[];
}

/**
 * Says of each acknowledged write whether it is restored or after the recovery point.
 * @param times how often each marker is stored
 * @param point between which moments the recovery point is, epoch milliseconds
 */
export function judge(
  asked: readonly TrafficOutcome[],
  times: ReadonlyMap<string, number>,
  point: { readonly fromMs: number; readonly toMs: number },
): Judgement {
  const writes = asked.filter(isWrite).filter(({ fault }) => fault === null);
  const before = writes.filter(({ endedMs }) => endedMs < point.fromMs);
  const after = writes.filter(({ sentMs }) => sentMs > point.toMs);
  const outside = new Set([...before, ...after]);
  const between = writes.filter((write) => !outside.has(write));
  const isThere = ({ marker }: Write): boolean => times.has(marker);
  const restored = between.filter(isThere).length;
  return {
    before: before.length,
    after: after.length,
    between: { restored, gone: between.length - restored },
    lost: before.filter((write) => !isThere(write)),
    risen: after.filter(isThere),
    doubled: writes.filter(({ marker }) => (times.get(marker) ?? 0) > 1),
  };
}

/** For people: numbers instead of lists. */
export const countsOf = ({ lost, risen, doubled, ...counts }: Judgement): object => ({
  ...{ ...counts, lost: lost.length, risen: risen.length, doubled: doubled.length },
});
